import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ApiServer, startApiServer } from './api-server.ts';
import { type JsonRecord } from './json-value.ts';
import { call, openWatch, summaryOf } from './testing/api-client.ts';
import { widget, widgetDefinition, widgetSchema, widgetsPath } from './testing/widget-definition.ts';

let server: ApiServer;
beforeEach(async () => {
  server = await startApiServer();
});
afterEach(() => server.close());

const definitionsPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const post = (body: unknown, path = definitionsPath) => call(server.url + path, { method: 'POST', body });
const withVersion = (change: JsonRecord) => {
  const definition = widgetDefinition();
  const [first] = definition.spec.versions;
  return { ...definition, spec: { ...definition.spec, versions: [{ ...first, ...change }] } };
};
const withSchema = (openAPIV3Schema: unknown) => withVersion({ schema: { openAPIV3Schema } });

describe('a CustomResourceDefinition', () => {
  it('is served as soon as it is posted, and says so', async () => {
    expect((await call(server.url + widgetsPath)).status).toBe(404);
    const { status, body } = await post(widgetDefinition());
    expect(status).toBe(201);
    expect(body.status).toMatchObject({
      conditions: [
        { type: 'NamesAccepted', status: 'True' },
        { type: 'Established', status: 'True' },
      ],
      acceptedNames: { plural: 'widgets', singular: 'widget', listKind: 'WidgetList' },
      storedVersions: ['v1'],
    });
    expect((await post(widget('a'), widgetsPath)).status).toBe(201);
  });

  it('serves each object in all of its versions', async () => {
    await post(widgetDefinition());
    const older = widgetsPath.replace('/v1/', '/v1beta1/');
    await post({ ...widget('a'), apiVersion: 'example.test/v1beta1' }, older);
    expect(await server.get(`${widgetsPath}/a`)).toMatchObject({ apiVersion: 'example.test/v1', spec: { size: 1 } });
    expect(await server.get(`${older}/a`)).toMatchObject({ apiVersion: 'example.test/v1beta1' });
    expect(await server.get(older)).toMatchObject({ apiVersion: 'example.test/v1beta1', items: [{ kind: 'Widget' }] });
  });

  it('can be changed: the new schema counts, a version that is no longer served is gone', async () => {
    await post(widgetDefinition());
    await server.apply(widget('a'));
    const grown = structuredClone(widgetSchema) as { properties: { spec: { properties: JsonRecord } } };
    grown.properties.spec.properties['extra'] = { type: 'string', default: 'new' };
    const changed = await server.apply(withSchema(grown));
    expect(changed.metadata.generation).toBe(2);
    expect(await server.apply(widget('b'))).toMatchObject({ spec: { extra: 'new' } });
    expect((await call(server.url + widgetsPath.replace('/v1/', '/v1beta1/'))).status).toBe(404);
    expect(await server.get(widgetsPath)).toMatchObject({
      items: [{ metadata: { name: 'a' } }, { metadata: { name: 'b' } }],
    });
  });

  it('takes its objects with it when it is deleted', async () => {
    await post(widgetDefinition());
    await server.apply(widget('a'));
    const seen = await openWatch(`${server.url}${widgetsPath}?watch=true`);
    await server.delete(`${definitionsPath}/widgets.example.test`);
    expect(summaryOf(await seen.take(2))).toEqual(['ADDED a', 'DELETED a']);
    expect((await call(server.url + widgetsPath)).status).toBe(404);
    await post(widgetDefinition());
    expect(await server.get(widgetsPath)).toMatchObject({ items: [] });
  });

  it('bumps the generation for a status change where there is no status subresource', async () => {
    await post(withVersion({ subresources: undefined }));
    await post({ ...widget('a'), status: { count: 1 } }, widgetsPath);
    expect(await server.patch(`${widgetsPath}/a`, { status: { count: 2 } })).toMatchObject({
      status: { count: 2 },
      metadata: { generation: 2 },
    });
    await expect(server.patch(`${widgetsPath}/a/status`, {})).rejects.toMatchObject({ code: 404 });
  });

  it('can be cluster-scoped, and name fields to select by', async () => {
    const definition = withVersion({ selectableFields: [{ jsonPath: '.spec.color' }] });
    await post({ ...definition, spec: { ...definition.spec, scope: 'Cluster' } });
    const path = '/apis/example.test/v1/widgets';
    await post(widget('a', { size: 1, color: 'green' }), path);
    await post(widget('b'), path);
    expect(await server.get(`${path}?fieldSelector=spec.color%3Dgreen`)).toMatchObject({
      items: [{ metadata: { name: 'a' } }],
    });
    expect((await call(server.url + widgetsPath)).status).toBe(404);
  });

  const root = 'spec.versions[0].schema.openAPIV3Schema';
  const part = (properties: JsonRecord) => withSchema({ type: 'object', properties });
  it.each<[string, object, string, string]>([
    [
      'a name that does not fit',
      { ...widgetDefinition(), metadata: { name: 'x.example.test' } },
      'metadata.name',
      'must be spec.names.plural+"."+spec.group',
    ],
    [
      'no kind',
      { ...widgetDefinition(), spec: { ...widgetDefinition().spec, names: { plural: 'widgets' } } },
      'spec.names.kind',
      'Required value',
    ],
    [
      'no stored version',
      withVersion({ storage: false }),
      'spec.versions',
      'exactly one version marked as storage version',
    ],
    ['no schema', withVersion({ schema: undefined }), root, 'schemas are required'],
    ['another type at the root', withSchema({ type: 'string' }), `${root}.type`, 'must be object at the root'],
    [
      'a field without a type',
      part({ a: {} }),
      `${root}.properties[a].type`,
      'must not be empty for specified object fields',
    ],
    ['a list without items', part({ a: { type: 'array' } }), `${root}.properties[a].items`, 'must be specified'],
    [
      'properties beside additionalProperties',
      part({ a: { type: 'object', properties: {}, additionalProperties: true } }),
      `${root}.properties[a].additionalProperties`,
      'mutually exclusive',
    ],
    [
      'a map key that may be absent',
      part({
        a: {
          type: 'array',
          items: { type: 'object', properties: { k: { type: 'string' } } },
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['k'],
        },
      }),
      `${root}.properties[a].items.properties[k].default`,
      'Required value',
    ],
    [
      'a map list without keys',
      part({ a: { type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'map' } }),
      `${root}.properties[a].x-kubernetes-list-map-keys`,
      'Required value',
    ],
    [
      'a default off its schema',
      part({ a: { type: 'string', default: 1 } }),
      `${root}.properties[a].default`,
      'must be of type string',
    ],
    [
      'a pattern that can not be read',
      part({ a: { type: 'string', pattern: '(' } }),
      `${root}.properties[a].pattern`,
      'Invalid',
    ],
    [
      'a column that can not be read',
      withVersion({ additionalPrinterColumns: [{ name: 'A', type: 'string', jsonPath: 'a' }] }),
      'spec.versions[0].additionalPrinterColumns[0].jsonPath',
      'Cannot read the JSONPath a',
    ],
  ])('with %s is refused', async (_case, definition, field, message) => {
    const { body } = await post(definition);
    expect(body).toMatchObject({ code: 422, reason: 'Invalid', details: { causes: [{ field }] } });
    expect(body['message']).toContain(message);
    expect((await call(server.url + widgetsPath)).status).toBe(404);
  });
});
