import { type ApiObject } from './json-value.ts';
import { type ApiRequest } from './api-request.ts';
import { type ServedResource } from './served-resource.ts';
import { badRequest, notFound, unsupportedMediaType } from './statuses.ts';
import { jsonPatch, mergePatch } from './patches.ts';

/** A patch, and what it is for. */
export interface PatchCall {
  readonly resource: ServedResource;
  /** The stored object; undefined when there is none. */
  readonly previous: ApiObject | undefined;
  readonly request: ApiRequest;
  readonly name: string;
}

type PatchKind = (call: PatchCall, current: ApiObject) => unknown;

const patchKinds: Readonly<Record<string, PatchKind>> = {
  'application/json-patch+json': ({ request }, current) => jsonPatch(current, parsedPatch(request.body, JSON.parse)),
  'application/merge-patch+json': ({ request }, current) => mergePatch(current, parsedPatch(request.body, JSON.parse)),
};

/** The object as the patch of the request leaves it, in the version of the request. Throws 400, 404, 409, 415, 422. */
export function patchObject(call: PatchCall): unknown {
  const { resource, previous, request, name } = call;
  const type = request.contentType.split(';')[0]?.trim() ?? '';
  const patch = patchKinds[type];
  if (!patch) throw unsupportedMediaType(Object.keys(patchKinds));
  if (!previous) throw notFound(resource, name);
  return patch(call, resource.fromStored(previous));
}

function parsedPatch(text: string, parse: (text: string) => unknown): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw badRequest(`error decoding patch: ${error instanceof Error ? error.message : String(error)}`);
  }
}
