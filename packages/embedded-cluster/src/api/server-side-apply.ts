import { isDeepStrictEqual } from 'node:util';
import { type ApiObject, isRecord, type JsonRecord, omit, stringAt } from './json-value.ts';
import { type JsonSchema } from './json-schema.ts';
import { type ServedResource, apiVersionOf } from './served-resource.ts';
import { ApiError, badRequest } from './statuses.ts';
import { differingFields, type FieldSet, fieldSetOf, itemStep, subtract, withoutFields } from './field-sets.ts';
import { fieldSchemaOf } from './structural-schema.ts';
import { nowText } from './object-writes.ts';

/** An apply, and who does it. */
export interface ApplyCall {
  readonly resource: ServedResource;
  readonly name: string;
  /** The object as it is, in the version of the request; undefined when it does not exist. */
  readonly current: ApiObject | undefined;
  readonly manager: string;
  readonly force: boolean;
}

interface Ownership {
  readonly manager: string;
  readonly fields: FieldSet;
  readonly entry: JsonRecord;
}

/**
 * The object after a server-side apply: what is applied is set, what the same manager applied before and no longer does is removed.
 * Fields are owned by those who apply them; writes of other kinds own nothing here. Throws 400, and 409 when another
 * applier owns a field that would change, unless forced.
 */
export function serverSideApply(call: ApplyCall, applied: unknown): unknown {
  const { resource, current, name, manager, force } = call;
  if (!isRecord(applied) || !isRecord(applied['metadata'])) throw badRequest('an applied object needs metadata');
  const { metadata } = applied;
  if (metadata['managedFields']) throw badRequest('metadata.managedFields must be nil');
  if (stringAt(metadata, 'name') !== name) throw badRequest('the name of the applied object must be that of the path');
  const fields = ownableFields(applied, resource.schema);
  const owners = ownersOf(current);
  const others = owners.filter((owner) => owner.manager !== manager);
  if (!force) checkConflicts(call, { applied, fields, others });
  const before = owners.find((owner) => owner.manager === manager)?.fields ?? {};
  const dropped = others.reduce((set, other) => subtract(set, other.fields), subtract(before, fields));
  const merged = mergeApplied(withoutFields(current, dropped, resource.schema), applied, resource.schema);
  return withManagedFields(call, merged as ApiObject, fields);
}

function ownableFields(applied: JsonRecord, schema: JsonSchema): FieldSet {
  const metadata = omit(
    applied['metadata'] as JsonRecord,
    'name',
    'namespace',
    'uid',
    'resourceVersion',
    'creationTimestamp',
  );
  const owned = omit(applied, 'apiVersion', 'kind', 'metadata');
  return fieldSetOf(Object.keys(metadata).length > 0 ? { ...owned, metadata } : owned, schema);
}

function ownersOf(current: ApiObject | undefined): Ownership[] {
  return (current?.metadata.managedFields ?? [])
    .filter((entry) => entry['operation'] === 'Apply')
    .map((entry) => ({
      manager: stringAt(entry, 'manager') ?? '',
      fields: (entry['fieldsV1'] ?? {}) as FieldSet,
      entry,
    }));
}

interface Claim {
  readonly applied: JsonRecord;
  readonly fields: FieldSet;
  readonly others: readonly Ownership[];
}

function checkConflicts({ resource, current }: ApplyCall, { applied, fields, others }: Claim): void {
  const causes = others.flatMap(({ manager, fields: theirs }) =>
    differingFields([fields, theirs], [applied, current], resource.schema).map((field) => ({
      reason: 'FieldManagerConflict',
      message: `conflict with "${manager}"`,
      field,
    })),
  );
  const [first, ...more] = causes;
  if (!first) return;
  const list = causes.map(({ message, field }) => `${message}: ${field}`).join(', ');
  const message = `Apply failed with ${more.length + 1} conflict${more.length > 0 ? 's' : ''}: ${list}`;
  throw new ApiError({ code: 409, reason: 'Conflict', message, details: { causes } });
}

function mergeApplied(current: unknown, applied: unknown, schema: JsonSchema): unknown {
  if (Array.isArray(applied)) return mergeItems(Array.isArray(current) ? current : [], applied, schema);
  if (!isRecord(applied) || !isRecord(current) || schema['x-kubernetes-map-type'] === 'atomic') return applied;
  const entries = Object.entries(applied).map(([name, value]) => {
    return [name, mergeApplied(current[name], value, fieldSchemaOf(schema, name) ?? {})] as const;
  });
  return { ...current, ...Object.fromEntries(entries) };
}

function mergeItems(current: readonly unknown[], applied: readonly unknown[], schema: JsonSchema): readonly unknown[] {
  const stepOf = (item: unknown) => itemStep(item, schema);
  if (stepOf({}) === undefined) return applied;
  const merged = current.map((item) => {
    const update = applied.find((candidate) => stepOf(candidate) === stepOf(item));
    return update === undefined ? item : mergeApplied(item, update, schema.items ?? {});
  });
  const known = new Set(current.map(stepOf));
  return [...merged, ...applied.filter((item) => !known.has(stepOf(item)))];
}

function withManagedFields(
  { resource, current, manager, force }: ApplyCall,
  merged: ApiObject,
  fields: FieldSet,
): ApiObject {
  const apiVersion = apiVersionOf(resource);
  const entry = { manager, operation: 'Apply', apiVersion, fieldsType: 'FieldsV1', fieldsV1: fields };
  const entries = (current?.metadata.managedFields ?? []).flatMap((existing) => {
    if (existing['operation'] !== 'Apply') return [existing];
    if (existing['manager'] === manager) return [];
    return force ? [{ ...existing, fieldsV1: subtract(existing['fieldsV1'] as FieldSet, fields) }] : [existing];
  });
  const before = ownersOf(current).find((owner) => owner.manager === manager)?.entry;
  // An apply that changes nothing must not be a write, so an unchanged entry keeps its time.
  const isSame = before !== undefined && isDeepStrictEqual(omit(before, 'time'), entry);
  const managedFields = [...entries, isSame ? before : { ...entry, time: nowText() }];
  return { ...merged, metadata: { ...merged.metadata, managedFields } };
}
