import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type ApiObject, objectKey, omit } from './json-value.ts';
import { type ObjectStorage } from './object-storage.ts';
import { type ServedResource } from './served-resource.ts';
import { admit, checkObject, type WriteOptions } from './object-admission.ts';
import { named } from './object-names.ts';
import { alreadyExists, ApiError, conflict, invalid } from './statuses.ts';

/** What a write works on. Objects go in as the client's version has them, and come out in the stored form. */
export interface WriteContext {
  readonly storage: ObjectStorage;
  readonly resource: ServedResource;
  readonly options: WriteOptions;
}

/** Stores a new object. Throws 400, 409 when the name is taken, 422. */
export function createObject(context: WriteContext, body: unknown, namespace: string | undefined): ApiObject {
  const { storage, resource, options } = context;
  const object = named(resource, admit(resource, body, options), namespace);
  const name = object.metadata.name ?? '';
  if (object.metadata.resourceVersion) {
    throw new ApiError({
      code: 500,
      reason: 'InternalError',
      message: 'resourceVersion should not be set on objects to be created',
    });
  }
  const fresh = withFreshMetadata(resource, object);
  if (storage.get(resource.collection, objectKey(namespace, name))) throw alreadyExists(resource, name);
  return store(context, prepared(resource, resource.toStored(fresh), undefined));
}

function withFreshMetadata(resource: ServedResource, object: ApiObject): ApiObject {
  const wanted = resource.hasStatus ? omit(object, 'status') : object;
  return {
    ...wanted,
    metadata: {
      ...omit(object.metadata, ...serverOwned),
      uid: randomUUID(),
      creationTimestamp: nowText(),
      ...(resource.hasGeneration && { generation: 1 }),
    },
  };
}

/** The present time as `metadata` has it: in whole seconds. */
export function nowText(): string {
  return new Date(Date.now()).toISOString().replace(/\.\d+Z$/, 'Z');
}

/**
 * Stores another state of an object; through the status subresource the status alone, else everything but the status.
 * A state that changes nothing is not written. Throws 400, 409 when the body's resourceVersion is not the stored one, 422.
 */
export function updateObject(
  context: WriteContext,
  previous: ApiObject,
  body: unknown,
  subresource?: string,
): ApiObject {
  const { resource, options } = context;
  const sent = admit(resource, body, options);
  checkPreconditions(context, previous, sent);
  const { name, namespace } = previous.metadata;
  const next = resource.toStored(named(resource, sent, namespace));
  if (next.metadata.name !== name) {
    const message = `Invalid value: ${JSON.stringify(next.metadata.name)}: field is immutable`;
    throw invalid(resource, name ?? '', [{ field: 'metadata.name', reason: 'FieldValueInvalid', message }]);
  }
  const merged =
    subresource === 'status' ? { ...previous, ...pick(next, 'status') } : mainPart(resource, previous, next);
  const complete = prepared(resource, merged, previous);
  if (isDeepStrictEqual(complete, previous)) return previous;
  const grown = hasNewSpec(resource, previous, complete) ? withNextGeneration(complete) : complete;
  return isReleased(grown) ? removeObject(context, grown) : store(context, grown);
}

function checkPreconditions({ resource }: WriteContext, previous: ApiObject, sent: ApiObject): void {
  const name = previous.metadata.name ?? '';
  const { resourceVersion, uid } = sent.metadata;
  if (resourceVersion && resourceVersion !== previous.metadata.resourceVersion) throw conflict(resource, name);
  if (uid && uid !== previous.metadata.uid) {
    const because = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${previous.metadata.uid ?? ''}`;
    throw conflict(resource, name, because);
  }
  if (!resourceVersion && !resource.allowsBlindUpdate) {
    const message = 'Invalid value: 0x0: must be specified for an update';
    throw invalid(resource, name, [{ field: 'metadata.resourceVersion', reason: 'FieldValueInvalid', message }]);
  }
}

/** `next` as the main resource takes it: with the status, and with what only the server may say, as they were. */
function mainPart(resource: ServedResource, previous: ApiObject, next: ApiObject): ApiObject {
  const kept = pick(previous.metadata, ...serverOwned);
  checkFinalizers(resource, previous, next);
  const metadata = { ...omit(next.metadata, ...serverOwned), ...kept };
  return { ...next, metadata, ...(resource.hasStatus && pick(previous, 'status')) };
}

const serverOwned = [
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
];

function checkFinalizers(resource: ServedResource, previous: ApiObject, next: ApiObject): void {
  if (!previous.metadata.deletionTimestamp) return;
  const held = previous.metadata.finalizers ?? [];
  const added = (next.metadata.finalizers ?? []).filter((finalizer) => !held.includes(finalizer));
  if (added.length === 0) return;
  const message = `Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers ${JSON.stringify(added)}`;
  throw invalid(resource, next.metadata.name ?? '', [
    { field: 'metadata.finalizers', reason: 'FieldValueForbidden', message },
  ]);
}

function pick<T extends Record<string, unknown>>(record: T, ...names: readonly string[]): Partial<T> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => names.includes(name))) as Partial<T>;
}

function prepared(resource: ServedResource, next: ApiObject, previous: ApiObject | undefined): ApiObject {
  const complete = resource.rules.prepare?.(next, previous) ?? next;
  checkObject(resource, resource.fromStored(complete));
  const problems = resource.rules.check?.(complete, previous) ?? [];
  if (problems.length > 0) throw invalid(resource, complete.metadata.name ?? '', problems);
  return complete;
}

function hasNewSpec(resource: ServedResource, previous: ApiObject, next: ApiObject): boolean {
  if (!resource.hasGeneration) return false;
  const ignored = resource.hasStatus ? ['metadata', 'status'] : ['metadata'];
  return !isDeepStrictEqual(omit(previous, ...ignored), omit(next, ...ignored));
}

function withNextGeneration(object: ApiObject): ApiObject {
  return { ...object, metadata: { ...object.metadata, generation: (object.metadata.generation ?? 0) + 1 } };
}

function isReleased({ metadata }: ApiObject): boolean {
  return metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).length === 0;
}

/** Removes an object, or marks it as being deleted while finalizers hold it. Answers its last state. */
export function deleteObject(context: WriteContext, previous: ApiObject): ApiObject {
  const isHeld = (previous.metadata.finalizers ?? []).length > 0;
  if (!isHeld) return removeObject(context, previous);
  if (previous.metadata.deletionTimestamp) return previous;
  const marks = { deletionTimestamp: nowText(), deletionGracePeriodSeconds: 0 };
  const marked = { ...previous, metadata: { ...previous.metadata, ...marks } };
  return store(context, context.resource.hasGeneration ? withNextGeneration(marked) : marked);
}

function removeObject({ storage, resource, options }: WriteContext, object: ApiObject): ApiObject {
  const { namespace, name = '' } = object.metadata;
  if (!options.dryRun) storage.remove(resource.collection, objectKey(namespace, name));
  return object;
}

function store({ storage, resource, options }: WriteContext, object: ApiObject): ApiObject {
  return options.dryRun ? object : storage.put(resource.collection, object);
}
