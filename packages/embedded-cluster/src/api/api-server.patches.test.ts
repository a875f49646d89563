import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiServer, startApiServer } from './api-server.ts';
import { call } from './testing/api-client.ts';
import { widget, widgetDefinition, widgetsPath } from './testing/widget-definition.ts';

let server: ApiServer;
beforeAll(async () => {
  server = await startApiServer({ crds: [widgetDefinition()] });
});
afterAll(() => server.close());

const types = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};
const patch = (path: string, body: unknown, contentType = types.merge) =>
  call(server.url + path, { method: 'PATCH', body, contentType });

describe('a merge patch', () => {
  it('with the resourceVersion that was read is taken once', async () => {
    const { metadata } = await server.apply(widget('guarded'));
    const body = (size: number) => ({ metadata: { resourceVersion: metadata.resourceVersion }, spec: { size } });
    expect((await patch(`${widgetsPath}/guarded`, body(2))).status).toBe(200);
    expect((await patch(`${widgetsPath}/guarded`, body(3))).body).toMatchObject({ code: 409, reason: 'Conflict' });
  });

  it('of the status is guarded in the same way, and removes by null', async () => {
    const path = `${widgetsPath}/status-patched`;
    const { metadata } = await server.apply(widget('status-patched'));
    const { resourceVersion } = metadata;
    const first = await patch(`${path}/status`, { metadata: { resourceVersion }, status: { count: 1, seenAt: null } });
    expect(first.body.status).toEqual({ count: 1 });
    expect((await patch(`${path}/status`, { metadata: { resourceVersion }, status: {} })).body).toMatchObject({
      code: 409,
    });
    expect((await patch(`${path}/status`, { status: { count: null } })).body.status).toEqual({});
  });

  it('that leaves the schema is refused', async () => {
    await server.apply(widget('left'));
    const { body } = await patch(`${widgetsPath}/left`, { spec: { size: null } });
    expect(body).toMatchObject({
      code: 422,
      details: { causes: [{ field: 'spec.size', reason: 'FieldValueRequired' }] },
    });
  });

  it('of the name is refused', async () => {
    await server.apply(widget('fixed'));
    const { body } = await patch(`${widgetsPath}/fixed`, { metadata: { name: 'other' } });
    expect(body).toMatchObject({ code: 422, details: { causes: [{ field: 'metadata.name' }] } });
  });

  it.each([
    ['an absent object', 'none', {}, 404],
    ['broken JSON', 'fixed', '{', 400],
  ])('of %s is refused', async (_case, name, body, code) => {
    expect((await patch(`${widgetsPath}/${name}`, body)).body).toMatchObject({ kind: 'Status', code });
  });
});

describe('patch types', () => {
  it('take JSON patches', async () => {
    await server.apply(widget('json'));
    const { body } = await patch(`${widgetsPath}/json`, [{ op: 'replace', path: '/spec/size', value: 7 }], types.json);
    expect(body).toMatchObject({ spec: { size: 7 }, metadata: { generation: 2 } });
    expect(
      (await patch(`${widgetsPath}/json`, [{ op: 'test', path: '/spec/size', value: 1 }], types.json)).status,
    ).toBe(422);
  });

  it('merge the lists of built-in kinds strategically', async () => {
    const path = '/api/v1/namespaces/default/serviceaccounts/default';
    await patch(path, { imagePullSecrets: [{ name: 'a' }] }, types.strategic);
    const { body } = await patch(path, { imagePullSecrets: [{ name: 'b' }] }, types.strategic);
    expect(body['imagePullSecrets']).toEqual([{ name: 'a' }, { name: 'b' }]);
    const replaced = await patch(path, { imagePullSecrets: [{ name: 'c' }] }, types.merge);
    expect(replaced.body['imagePullSecrets']).toEqual([{ name: 'c' }]);
  });

  it.each([types.strategic, 'application/json', 'text/plain'])('refuse %s for a custom resource', async (type) => {
    await server.apply(widget('typed'));
    const { body } = await patch(`${widgetsPath}/typed`, { spec: { size: 2 } }, type);
    expect(body).toMatchObject({ code: 415, reason: 'UnsupportedMediaType' });
  });
});

describe('a server-side apply', () => {
  const apply = (name: string, spec: object, query: string) =>
    patch(`${widgetsPath}/${name}?${query}`, widget(name, spec), types.apply);
  const partsOf = ({ body }: Awaited<ReturnType<typeof apply>>) => body.spec['parts'];

  it('creates, and is no write when repeated', async () => {
    const created = await apply('applied', { size: 1 }, 'fieldManager=one');
    expect(created.status).toBe(201);
    expect(created.body.metadata.managedFields).toMatchObject([
      { manager: 'one', operation: 'Apply', fieldsType: 'FieldsV1', fieldsV1: { 'f:spec': { 'f:size': {} } } },
    ]);
    const repeated = await apply('applied', { size: 1 }, 'fieldManager=one');
    expect(repeated.status).toBe(200);
    expect(repeated.body).toEqual(created.body);
  });

  it('removes what the same manager no longer applies, and nothing of others', async () => {
    await apply('trimmed', { size: 1, note: 'x', parts: [{ name: 'a' }, { name: 'b', count: 2 }] }, 'fieldManager=one');
    await apply('trimmed', { size: 1, parts: [{ name: 'c' }], free: { x: 1 } }, 'fieldManager=two');
    const { body } = await apply('trimmed', { size: 1, parts: [{ name: 'b', count: 2 }] }, 'fieldManager=one');
    expect(body.spec).toEqual({
      size: 1,
      color: 'red',
      parts: [
        { name: 'b', count: 2 },
        { name: 'c', count: 1 },
      ],
      free: { x: 1 },
    });
  });

  it('merges sets, and replaces atomic lists', async () => {
    await apply('lists', { size: 1, names: ['a'], steps: ['a'] }, 'fieldManager=one');
    const { body } = await apply('lists', { size: 1, names: ['b'], steps: ['b'] }, 'fieldManager=two&force=true');
    expect(body.spec).toMatchObject({ names: ['a', 'b'], steps: ['b'] });
  });

  it('conflicts with the fields of another manager, unless forced', async () => {
    await apply('contested', { size: 1, parts: [{ name: 'a', count: 1 }] }, 'fieldManager=one');
    const wanted = { size: 2, parts: [{ name: 'a', count: 5 }] };
    const refused = await apply('contested', wanted, 'fieldManager=two');
    expect(refused.body).toMatchObject({
      code: 409,
      reason: 'Conflict',
      details: {
        causes: [
          { reason: 'FieldManagerConflict', field: '.spec.size', message: 'conflict with "one"' },
          { reason: 'FieldManagerConflict', field: '.spec.parts[{"name":"a"}].count' },
        ],
      },
    });
    const forced = await apply('contested', wanted, 'fieldManager=two&force=true');
    expect(forced.body.spec).toMatchObject({ size: 2 });
    expect(partsOf(forced)).toEqual([{ name: 'a', count: 5 }]);
    const now = await apply('contested', { size: 1 }, 'fieldManager=one');
    expect(now.body).toMatchObject({ code: 409, details: { causes: [{ message: 'conflict with "two"' }] } });
  });

  it('reads YAML', async () => {
    const body = 'apiVersion: example.test/v1\nkind: Widget\nmetadata: {name: in-yaml}\nspec: {size: 3}\n';
    const answer = await patch(`${widgetsPath}/in-yaml?fieldManager=one`, body, types.apply);
    expect(answer.body).toMatchObject({ spec: { size: 3 } });
  });

  it.each([
    ['no field manager', 'x', widget('x'), '', 400],
    ['the name of another object', 'x', widget('y'), 'fieldManager=one', 400],
    ['managed fields', 'x', widget('x', { size: 1 }, { managedFields: [] }), 'fieldManager=one', 400],
    ['no metadata', 'x', { apiVersion: 'example.test/v1', kind: 'Widget' }, 'fieldManager=one', 400],
    [
      'an older resourceVersion',
      'applied',
      widget('applied', { size: 1 }, { resourceVersion: '1' }),
      'fieldManager=one',
      409,
    ],
  ])('refuses %s', async (_case, name, body, query, code) => {
    expect((await patch(`${widgetsPath}/${name}?${query}`, body, types.apply)).body).toMatchObject({ code });
  });
});
