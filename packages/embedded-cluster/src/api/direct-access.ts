import { type ApiObject, objectKey, stringAt, valueAt } from './json-value.ts';
import { type ApiRequest } from './api-request.ts';
import { type ClusterState } from './cluster-state.ts';
import { type ServedResource, apiVersionOf } from './served-resource.ts';
import { answerRequest } from './routes.ts';
import { ApiError, badRequest } from './statuses.ts';

/**
 * Calls from the same process, by the same code as a request takes. Each rejects with ApiError (`code`, `reason`).
 * Paths are those of the REST API: `/apis/kpack.io/v1alpha2/namespaces/default/builders/my-builder`.
 */
export interface DirectAccess {
  /** Creates the object, or merges it into the one of its name. As with kubectl, its status is left aside: patch `<path>/status`. */
  apply(object: object): Promise<ApiObject>;
  /** The object, or the list, at the path; a query such as `?labelSelector=a%3Db` may follow. */
  get(path: string): Promise<ApiObject>;
  /** Applies a JSON merge patch, or one of the given content type, to the object or its `/status`. */
  patch(path: string, patch: unknown, contentType?: string): Promise<ApiObject>;
  /** Deletes the object at the path. */
  delete(path: string): Promise<void>;
}

/** The in-process calls on the state. */
export function createDirectAccess(state: ClusterState): DirectAccess {
  const call = (method: string, path: string, body?: unknown, contentType = 'application/json') =>
    callDirectly(state, { method, path, body, contentType });
  return {
    async apply(object) {
      const resource = state.catalog.ofObject(object);
      if (!resource) throw badRequest(`no matches for kind ${JSON.stringify(valueAt(object, 'kind'))}`);
      const { name, namespace, collection } = placeOf(resource, object);
      const exists = state.storage.get(resource.collection, objectKey(namespace, name)) !== undefined;
      return exists
        ? call('PATCH', `${collection}/${name}?fieldValidation=Strict`, object, 'application/merge-patch+json')
        : call('POST', `${collection}?fieldValidation=Strict`, object);
    },
    get: (path) => call('GET', path),
    patch: (path, patch, contentType = 'application/merge-patch+json') => call('PATCH', path, patch, contentType),
    async delete(path) {
      await call('DELETE', path);
    },
  };
}

function placeOf(resource: ServedResource, object: object) {
  const name = stringAt(object, 'metadata', 'name') ?? '';
  const namespace = resource.namespaced ? (stringAt(object, 'metadata', 'namespace') ?? 'default') : undefined;
  const root = resource.group ? `/apis/${apiVersionOf(resource)}` : '/api/v1';
  const scope = namespace === undefined ? '' : `/namespaces/${namespace}`;
  return { name, namespace, collection: `${root}${scope}/${resource.plural}` };
}

interface DirectCall {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly contentType: string;
}

async function callDirectly(state: ClusterState, { method, path, body, contentType }: DirectCall): Promise<ApiObject> {
  const { pathname, searchParams } = new URL(path, 'http://localhost');
  const text = typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body);
  const request: ApiRequest = {
    method,
    path: pathname,
    query: searchParams,
    accept: '',
    contentType,
    body: Buffer.from(text),
  };
  // The answer comes after the present run of code, as it would over a socket.
  const response = await Promise.resolve(answerRequest(state, request));
  if (response.kind === 'watch') throw badRequest('a watch needs a connection');
  const answered = structuredClone(response.body) as ApiObject;
  if (response.status < 400) return answered;
  const { reason, message } = answered as unknown as { reason: string; message: string };
  throw new ApiError({ code: response.status, reason, message });
}
