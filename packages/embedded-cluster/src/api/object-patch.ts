import { parse as parseYaml } from 'yaml';
import { type ApiObject } from './json-value.ts';
import { type ApiRequest } from './api-request.ts';
import { type ServedResource } from './served-resource.ts';
import { badRequest, notFound, unsupportedMediaType } from './statuses.ts';
import { mediaTypeOf } from './request-body.ts';
import { jsonPatch, mergePatch } from './patches.ts';
import { serverSideApply } from './server-side-apply.ts';
import { strategicMergePatch } from './strategic-merge-patch.ts';

/** A patch, and what it is for. */
export interface PatchCall {
  readonly resource: ServedResource;
  /** The stored object; undefined when there is none. */
  readonly previous: ApiObject | undefined;
  readonly request: ApiRequest;
  readonly name: string;
}

const applyType = 'application/apply-patch+yaml';
const strategicType = 'application/strategic-merge-patch+json';

/**
 * The object as the patch of the request leaves it, in the version of the request. An apply makes an object that does not exist.
 * Throws 400, 404, 409, 415, 422.
 */
export function patchObject({ resource, previous, request, name }: PatchCall): unknown {
  const { contentType, body } = request;
  const type = mediaTypeOf(contentType);
  if (!acceptedTypes(resource).includes(type)) throw unsupportedMediaType(acceptedTypes(resource));
  const current = previous && resource.fromStored(previous);
  const patch = parsedPatch(body.toString(), type === applyType ? parseYaml : JSON.parse);
  if (type === applyType) return serverSideApply({ resource, name, current, ...applierFrom(request.query) }, patch);
  if (!current) throw notFound(resource, name);
  switch (type) {
    case 'application/json-patch+json':
      return jsonPatch(current, patch);
    case strategicType:
      return strategicMergePatch(current, patch, resource.schema);
    default:
      return mergePatch(current, patch);
  }
}

function acceptedTypes({ isBuiltIn }: ServedResource): readonly string[] {
  const common = ['application/json-patch+json', 'application/merge-patch+json', applyType];
  return isBuiltIn ? [...common, strategicType] : common;
}

function applierFrom(query: URLSearchParams): { manager: string; force: boolean } {
  const manager = query.get('fieldManager');
  if (!manager)
    throw badRequest(
      'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    );
  return { manager, force: query.get('force') === 'true' };
}

function parsedPatch(text: string, parse: (text: string) => unknown): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw badRequest(`error decoding patch: ${error instanceof Error ? error.message : String(error)}`);
  }
}
