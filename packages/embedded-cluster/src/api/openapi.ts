import { createHash } from 'node:crypto';
import { type JsonRecord } from './json-value.ts';
import { type ServedResource, apiVersionOf } from './served-resource.ts';

const info = { title: 'Kubernetes', version: 'v1.32.0' };

/** What `/openapi/v3` answers: where the document of each group version is. The hash changes with its content. */
export function openApiIndex(resources: readonly ServedResource[]): JsonRecord {
  const paths = [...new Set(resources.map(rootOf))].map((root) => {
    const text = JSON.stringify(openApiDocument(resources, root));
    const hash = createHash('sha256').update(text).digest('hex').toUpperCase();
    return [root, { serverRelativeURL: `/openapi/v3/${root}?hash=${hash}` }] as const;
  });
  return { paths: Object.fromEntries(paths) };
}

/** The OpenAPI v3 document of a root such as `apis/kpack.io/v1alpha2` or `api/v1`; undefined when nothing is served there. */
export function openApiDocument(resources: readonly ServedResource[], root: string): JsonRecord | undefined {
  const served = resources.filter((resource) => rootOf(resource) === root);
  if (served.length === 0) return undefined;
  const schemas = served.map((resource) => [
    schemaName(resource),
    { ...resource.schema, 'x-kubernetes-group-version-kind': [gvkOf(resource)] },
  ]);
  return {
    openapi: '3.0.0',
    info,
    paths: Object.fromEntries(served.flatMap(pathsOf)),
    components: { schemas: Object.fromEntries(schemas) as JsonRecord },
  };
}

function rootOf(resource: ServedResource): string {
  return `${resource.group ? 'apis' : 'api'}/${apiVersionOf(resource)}`;
}

function gvkOf({ group, version, kind }: ServedResource): JsonRecord {
  return { group, version, kind };
}

function schemaName({ group, version, kind }: ServedResource): string {
  return [...(group || 'core').split('.').reverse(), version, kind].join('.');
}

const queryParameter = (name: string): JsonRecord => ({
  name,
  in: 'query',
  schema: { type: 'string', uniqueItems: true },
});
// kubectl asks the server to check fields only where a parameter of this name is declared.
const writeParameters = ['dryRun', 'fieldManager', 'fieldValidation'].map(queryParameter);
const pathParameter = (name: string): JsonRecord => ({ name, in: 'path', required: true, schema: { type: 'string' } });

function pathsOf(resource: ServedResource): (readonly [string, JsonRecord])[] {
  const scope = resource.namespaced ? '/namespaces/{namespace}' : '';
  const collection = `/${rootOf(resource)}${scope}/${resource.plural}`;
  const scopeParameters = resource.namespaced ? [pathParameter('namespace')] : [];
  const operation = (action: string, parameters: readonly JsonRecord[] = []) =>
    operationOf(resource, action, parameters);
  return [
    [collection, { get: operation('list'), post: operation('post', writeParameters), parameters: scopeParameters }],
    [
      `${collection}/{name}`,
      {
        get: operation('get'),
        put: operation('put', writeParameters),
        patch: operation('patch', writeParameters),
        delete: operation('delete', [queryParameter('dryRun')]),
        parameters: [pathParameter('name'), ...scopeParameters],
      },
    ],
  ];
}

function operationOf(resource: ServedResource, action: string, parameters: readonly JsonRecord[]): JsonRecord {
  const schema = { $ref: `#/components/schemas/${schemaName(resource)}` };
  return {
    operationId: `${action}${resource.kind}`,
    parameters,
    responses: { '200': { description: 'OK', content: { 'application/json': { schema } } } },
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': gvkOf(resource),
  };
}

/** The OpenAPI v2 document without any definition: what it once told is in v3. */
export function emptySwagger(): JsonRecord {
  return { swagger: '2.0', info, paths: {}, definitions: {} };
}

/**
 * The same document in the protobuf form that kubectl asks for.
 *
 * @see https://github.com/google/gnostic-models/blob/main/openapiv2/OpenAPIv2.proto fields swagger = 1, info = 2 (title = 1, version = 2), paths = 8
 */
export function emptySwaggerProtobuf(): Buffer {
  const field = (number: number, bytes: Buffer) =>
    Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes]);
  const text = (number: number, value: string) => field(number, Buffer.from(value));
  return Buffer.concat([
    text(1, '2.0'),
    field(2, Buffer.concat([text(1, info.title), text(2, info.version)])),
    field(8, Buffer.alloc(0)),
  ]);
}
