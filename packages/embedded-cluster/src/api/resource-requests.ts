import { readBody } from './request-body.ts';
import { type ApiObject, isRecord, type JsonRecord, objectKey, stringAt } from './json-value.ts';
import { answer, type ApiAnswer, type ApiRequest, type ApiResponse } from './api-request.ts';
import { type ClusterState } from './cluster-state.ts';
import { type ServedResource } from './served-resource.ts';
import { type ResourcePath } from './request-path.ts';
import { badRequest, conflict, methodNotAllowed, notFound, successStatus, unknownPath } from './statuses.ts';
import { createObject, deleteObject, updateObject, type WriteContext } from './object-writes.ts';
import { writeOptionsFrom } from './object-admission.ts';
import { representationFor } from './representations.ts';
import { selectorFrom } from './selectors.ts';
import { listOrWatch } from './resource-reads.ts';
import { namespaceCollection } from './built-in-resources.ts';
import { patchObject } from './object-patch.ts';

/** A request for a resource that is served. */
interface ResourceCall {
  readonly state: ClusterState;
  readonly request: ApiRequest;
  readonly resource: ServedResource;
  readonly path: ResourcePath;
}

/** Answers a request for objects. Throws ApiError. */
export function answerResource(state: ClusterState, request: ApiRequest, path: ResourcePath): ApiResponse {
  const resource = state.catalog.find(path.group, path.version, path.plural);
  if (!resource || !fits(resource, path)) throw unknownPath();
  const call = { state, request, resource, path };
  return path.name === undefined ? answerCollection(call) : answerObject(call, path.name);
}

function fits(resource: ServedResource, { namespace, name, subresource }: ResourcePath): boolean {
  if (subresource !== undefined && !(subresource === 'status' && resource.hasStatus)) return false;
  if (!resource.namespaced) return namespace === undefined;
  return namespace !== undefined || name === undefined;
}

function answerCollection(call: ResourceCall): ApiResponse {
  const { state, request, resource, path } = call;
  const isAcrossNamespaces = resource.namespaced && path.namespace === undefined;
  if (request.method === 'GET') return listOrWatch(state, resource, request, path.namespace);
  if (isAcrossNamespaces) throw methodNotAllowed();
  if (request.method === 'POST') return create(call);
  if (request.method === 'DELETE') return deleteCollection(call);
  throw methodNotAllowed();
}

function answerObject(call: ResourceCall, name: string): ApiResponse {
  switch (call.request.method) {
    case 'GET':
      return answer(shown(call, stored(call, name)));
    case 'PUT':
      return replace(call, name);
    case 'PATCH':
      return patch(call, name);
    case 'DELETE':
      if (call.path.subresource) throw methodNotAllowed();
      return remove(call, name);
    default:
      throw methodNotAllowed();
  }
}

function stored({ state, resource, path }: ResourceCall, name: string): ApiObject {
  const object = state.storage.get(resource.collection, objectKey(path.namespace, name));
  if (!object) throw notFound(resource, name);
  return object;
}

function shown({ resource, request }: ResourceCall, object: ApiObject): JsonRecord {
  return representationFor(resource, request.accept, request.query).one(object);
}

function writeContext({ state, resource, request }: ResourceCall): WriteContext {
  return { storage: state.storage, resource, options: writeOptionsFrom(request.query) };
}

function create(call: ResourceCall): ApiAnswer {
  const { state, request, resource, path } = call;
  const context = writeContext(call);
  const body = readBody(request, resource.isBuiltIn);
  if (path.namespace !== undefined) requireNamespace(state, path.namespace);
  const created = createObject(context, body, path.namespace);
  return answer(shown(call, created), 201, context.options.warnings);
}

function requireNamespace({ storage }: ClusterState, namespace: string): void {
  if (storage.get(namespaceCollection, namespace)) return;
  throw notFound({ group: '', plural: 'namespaces', kind: 'Namespace' }, namespace);
}

function replace(call: ResourceCall, name: string): ApiAnswer {
  const context = writeContext(call);
  const body = readBody(call.request, call.resource.isBuiltIn);
  const updated = updateObject(context, stored(call, name), body, call.path.subresource);
  return answer(shown(call, updated), 200, context.options.warnings);
}

function patch(call: ResourceCall, name: string): ApiAnswer {
  const { state, request, resource, path } = call;
  const context = writeContext(call);
  const previous = state.storage.get(resource.collection, objectKey(path.namespace, name));
  const next = patchObject({ resource, previous, request, name });
  if (previous) {
    const updated = updateObject(context, previous, next, path.subresource);
    return answer(shown(call, updated), 200, context.options.warnings);
  }
  if (path.namespace !== undefined) requireNamespace(state, path.namespace);
  return answer(shown(call, createObject(context, next, path.namespace)), 201, context.options.warnings);
}

function remove(call: ResourceCall, name: string): ApiAnswer {
  const { request, resource } = call;
  const context = deletionContext(call);
  const object = stored(call, name);
  checkDeletion(resource, object, request.body.length > 0 ? readBody(request, resource.isBuiltIn) : {});
  const deleted = deleteObject(context, object);
  if ((deleted.metadata.finalizers ?? []).length > 0) return answer(shown(call, deleted));
  const { group, plural } = resource;
  return answer(successStatus({ name, ...(group && { group }), kind: plural, uid: object.metadata.uid }));
}

function deletionContext(call: ResourceCall): WriteContext {
  const context = writeContext(call);
  const dryRun = isDryRun(call.request.body.length > 0 ? readBody(call.request, call.resource.isBuiltIn) : {});
  return { ...context, options: { ...context.options, dryRun: context.options.dryRun || dryRun } };
}

function isDryRun(options: unknown): boolean {
  return isRecord(options) && Array.isArray(options['dryRun']) && options['dryRun'].includes('All');
}

const propagationPolicies = ['Orphan', 'Background', 'Foreground'];

function checkDeletion(resource: ServedResource, object: ApiObject, options: unknown): void {
  const policy = stringAt(options, 'propagationPolicy');
  if (policy !== undefined && !propagationPolicies.includes(policy)) {
    throw badRequest(`invalid propagationPolicy ${policy}: must be one of ${propagationPolicies.join(', ')}`);
  }
  const { name = '', uid, resourceVersion } = object.metadata;
  const wantedUid = stringAt(options, 'preconditions', 'uid') ?? uid;
  const wantedVersion = stringAt(options, 'preconditions', 'resourceVersion') ?? resourceVersion;
  if (wantedUid === uid && wantedVersion === resourceVersion) return;
  throw conflict(resource, name, 'Precondition failed: the object is another one, or has changed');
}

function deleteCollection(call: ResourceCall): ApiAnswer {
  const { state, request, resource, path } = call;
  const context = deletionContext(call);
  const objects = state.storage.list(resource.collection, path.namespace).filter(selectorFrom(request.query, resource));
  const deleted = objects.map((object) => deleteObject(context, object));
  const metadata = { resourceVersion: String(state.storage.resourceVersion) };
  return answer(representationFor(resource, request.accept, request.query).many(deleted, metadata));
}
