import { type JsonRecord } from './json-value.ts';
import { answer, type ApiRequest, type ApiResponse } from './api-request.ts';
import { type ClusterState } from './cluster-state.ts';
import { type ListPage } from './list-pages.ts';
import { type ServedResource } from './served-resource.ts';
import { ApiError, badRequest, expired, invalid } from './statuses.ts';
import { selectorFrom } from './selectors.ts';
import { representationFor } from './representations.ts';
import { startWatch, type WatchOptions } from './watch-stream.ts';

/** Answers a list, or begins a watch, of a collection or of one namespace of it. */
export function listOrWatch(
  state: ClusterState,
  resource: ServedResource,
  request: ApiRequest,
  namespace?: string,
): ApiResponse {
  const isWatch = ['true', '1'].includes(request.query.get('watch') ?? '');
  return isWatch ? watch(state, resource, request, namespace) : list(state, resource, request, namespace);
}

function list(state: ClusterState, resource: ServedResource, request: ApiRequest, namespace?: string): ApiResponse {
  const { query, accept } = request;
  const representation = representationFor(resource, accept, query);
  const page = pageFor(state, resource, query, namespace);
  return answer(representation.many(page.objects, listMetadata(page, query)));
}

function pageFor(
  { storage, pages }: ClusterState,
  resource: ServedResource,
  query: URLSearchParams,
  namespace?: string,
): ListPage {
  // A list "as of version 0" comes from the cache of a real server, which knows no pages.
  const limit = query.get('resourceVersion') === '0' ? 0 : (wholeNumber(query, 'limit') ?? 0);
  const token = query.get('continue');
  if (token) return pages.next(token, limit);
  checkListVersion(storage.resourceVersion, query);
  const objects = storage.list(resource.collection, namespace).filter(selectorFrom(query, resource));
  return pages.first({ objects, resourceVersion: storage.resourceVersion }, limit);
}

function checkListVersion(current: number, query: URLSearchParams): void {
  const wanted = wholeNumber(query, 'resourceVersion') ?? 0;
  if (wanted > current) {
    const message = `Too large resource version: ${wanted}, current: ${current}`;
    throw new ApiError({ code: 504, reason: 'Timeout', message, details: { retryAfterSeconds: 1 } });
  }
  if (query.get('resourceVersionMatch') === 'Exact' && wanted < current) {
    throw expired(`The provided resource version is no longer available: ${wanted}`);
  }
}

function listMetadata(page: ListPage, query: URLSearchParams): JsonRecord {
  const { resourceVersion, continueToken, remainingCount } = page;
  const isSelected = Boolean(query.get('labelSelector') ?? query.get('fieldSelector'));
  return {
    resourceVersion: String(resourceVersion),
    ...(continueToken !== undefined && { continue: continueToken }),
    // How much is left is not known, on a real server, when something is filtered out on the way.
    ...(remainingCount !== undefined && !isSelected && { remainingItemCount: remainingCount }),
  };
}

function watch(state: ClusterState, resource: ServedResource, request: ApiRequest, namespace?: string): ApiResponse {
  const { query, accept } = request;
  const target = {
    storage: state.storage,
    resource,
    namespace,
    selects: selectorFrom(query, resource),
    representation: representationFor(resource, accept, query),
  };
  const options = watchOptionsFrom(state, resource, query);
  return { kind: 'watch', start: (sink) => startWatch(target, options, sink) };
}

function watchOptionsFrom(state: ClusterState, resource: ServedResource, query: URLSearchParams): WatchOptions {
  const wantsBookmarks = query.get('allowWatchBookmarks') === 'true';
  const sendsInitial = query.get('sendInitialEvents');
  if (sendsInitial !== null && query.get('resourceVersionMatch') !== 'NotOlderThan') {
    const message = 'Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan';
    throw invalid({ ...resource, kind: 'ListOptions', group: 'meta.k8s.io' }, '', [
      { field: 'resourceVersionMatch', reason: 'FieldValueForbidden', message },
    ]);
  }
  const seconds = wholeNumber(query, 'timeoutSeconds');
  return {
    resourceVersion: startOf(state, query, sendsInitial),
    marksInitialEnd: sendsInitial === 'true' && wantsBookmarks,
    bookmarkIntervalMs: wantsBookmarks ? state.bookmarkIntervalMs : undefined,
    timeoutMs: seconds === undefined ? undefined : seconds * 1000,
  };
}

function startOf({ storage }: ClusterState, query: URLSearchParams, sendsInitial: string | null): number | undefined {
  if (sendsInitial === 'true') return undefined;
  const resourceVersion = wholeNumber(query, 'resourceVersion') ?? 0;
  // Unset and 0 mean the same to a watch: begin with what there is.
  if (resourceVersion === 0) return sendsInitial === 'false' ? storage.resourceVersion : undefined;
  return resourceVersion;
}

function wholeNumber(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (!text) return undefined;
  if (!/^\d+$/.test(text)) throw badRequest(`invalid ${name}: ${JSON.stringify(text)} is not a whole number`);
  return Number(text);
}
