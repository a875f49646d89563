import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiServer, startApiServer } from './api-server.ts';
import { call } from './testing/api-client.ts';
import { widget, widgetDefinition, widgetsPath } from './testing/widget-definition.ts';

let server: ApiServer;
const tableType = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
const get = (path: string, accept?: string) => call(server.url + path, accept === undefined ? {} : { accept });

beforeAll(async () => {
  server = await startApiServer({ crds: [widgetDefinition()] });
  for (const [index, name] of ['e', 'd', 'c', 'b', 'a'].entries()) {
    await server.apply(widget(name, { size: index + 1 }, { labels: { parity: index % 2 === 0 ? 'even' : 'odd' } }));
  }
  await server.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } });
  await server.apply(widget('a', { size: 1 }, { namespace: 'other' }));
  const seenAt = new Date(Date.now() - 200_000).toISOString();
  const conditions = [
    { type: 'Other', status: 'False' },
    { type: 'Ready', status: 'True' },
  ];
  await server.patch(`${widgetsPath}/a/status`, { status: { seenAt, conditions } });
});
afterAll(() => server.close());

const namesIn = async (path: string) => {
  const { body } = await get(path);
  return body.items.map(({ metadata }) => metadata.name);
};

describe('lists', () => {
  it('are in the order of the names, with the resourceVersion of the latest write', async () => {
    const { body } = await get(widgetsPath);
    expect(body).toMatchObject({ kind: 'WidgetList', apiVersion: 'example.test/v1', metadata: { continue: '' } });
    expect(body.items.map(({ metadata }) => metadata.name)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(body.metadata.resourceVersion).toBe(body.items[0]?.metadata.resourceVersion);
  });

  it('go across namespaces without one in the path', async () => {
    const { body } = await get('/apis/example.test/v1/widgets');
    expect(body.items.map(({ metadata }) => `${metadata.namespace ?? ''}/${metadata.name ?? ''}`)).toContain('other/a');
    expect(body.items).toHaveLength(6);
  });

  it('repeat kind and version in the items of custom resources, and not in those of built-in kinds', async () => {
    expect((await get(widgetsPath)).body.items[0]).toMatchObject({ kind: 'Widget', apiVersion: 'example.test/v1' });
    const { body } = await get('/api/v1/namespaces');
    expect(body).toMatchObject({ kind: 'NamespaceList', apiVersion: 'v1' });
    expect(body.items[0]).not.toHaveProperty('kind');
    expect(body.items[0]).not.toHaveProperty('apiVersion');
  });

  it.each([
    ['labelSelector=parity%3Deven', ['a', 'c', 'e']],
    ['labelSelector=parity%20notin%20(even)', ['b', 'd']],
    ['fieldSelector=metadata.name%3Dc', ['c']],
    ['fieldSelector=metadata.name!%3Dc,metadata.namespace%3Ddefault', ['a', 'b', 'd', 'e']],
    ['labelSelector=parity%3Deven&fieldSelector=metadata.name%3Db', []],
  ])('select by %s', async (query, names) => {
    expect(await namesIn(`${widgetsPath}?${query}`)).toEqual(names);
  });

  it.each([
    ['fieldSelector=spec.size%3D1', 400, 'field label not supported: spec.size'],
    ['labelSelector=a%20like%20b', 400, 'unable to parse requirement: a like b'],
    ['limit=many', 400, 'invalid limit'],
    ['continue=nonsense', 400, 'continue key is not valid'],
    ['resourceVersion=9007199254740991', 504, 'Too large resource version'],
    ['resourceVersion=5&resourceVersionMatch=Exact', 410, 'no longer available'],
  ])('refuse %s', async (query, code, message) => {
    const { body } = await get(`${widgetsPath}?${query}`);
    expect(body).toMatchObject({ kind: 'Status', code });
    expect(body['message']).toContain(message);
  });
});

describe('paged lists', () => {
  it('show one state, whatever is written between the pages', async () => {
    const { body: first } = await get(`${widgetsPath}?limit=2`);
    expect(first.metadata.remainingItemCount).toBe(3);
    await server.apply(widget('bb'));
    await server.delete(`${widgetsPath}/bb`);
    await server.apply(widget('ca'));
    const next = (token = '') => get(`${widgetsPath}?limit=2&continue=${encodeURIComponent(token)}`);
    const { body: second } = await next(first.metadata.continue);
    const { body: third } = await next(second.metadata.continue);
    const pages = [first, second, third];
    expect(pages.map(({ items }) => items.map(({ metadata }) => metadata.name))).toEqual([
      ['a', 'b'],
      ['c', 'd'],
      ['e'],
    ]);
    expect(new Set(pages.map(({ metadata }) => metadata.resourceVersion)).size).toBe(1);
    expect(third.metadata.continue).toBe('');
    await server.delete(`${widgetsPath}/ca`);
  });

  it('do not say how much is left when something is filtered out', async () => {
    const { body } = await get(`${widgetsPath}?limit=1&labelSelector=parity%3Deven`);
    expect(body.metadata.continue).toBeTruthy();
    expect(body.metadata).not.toHaveProperty('remainingItemCount');
  });

  it('answer 410 when they go on after a compaction', async () => {
    const { body } = await get(`${widgetsPath}?limit=2`);
    server.compact();
    const late = await get(`${widgetsPath}?limit=2&continue=${encodeURIComponent(body.metadata.continue ?? '')}`);
    expect(late.body).toMatchObject({ code: 410, reason: 'Expired' });
  });

  it('know no pages at resourceVersion 0, as the cache of a real server', async () => {
    expect((await get(`${widgetsPath}?limit=2&resourceVersion=0`)).body.items).toHaveLength(5);
  });
});

describe('metadata-only answers', () => {
  it('hold nothing but metadata, one by one and in lists', async () => {
    const single = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json';
    const { body: one } = await get(`${widgetsPath}/a`, single);
    expect(one).toMatchObject({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: { name: 'a' } });
    expect(Object.keys(one).sort()).toEqual(['apiVersion', 'kind', 'metadata']);
    const { body: many } = await get(widgetsPath, single.replace('Metadata;', 'MetadataList;'));
    expect(many).toMatchObject({ kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1' });
    expect(many.items[0]).toEqual(one);
  });
});

describe('tables', () => {
  it('hold the printer columns: conditions by filter, dates as ages, nothing where there is none', async () => {
    const { body } = await get(`${widgetsPath}?limit=2`, tableType);
    expect(body).toMatchObject({ kind: 'Table', apiVersion: 'meta.k8s.io/v1', metadata: { remainingItemCount: 3 } });
    expect(body.columnDefinitions).toMatchObject([
      { name: 'Name', format: 'name', priority: 0 },
      { name: 'Ready', type: 'string' },
      { name: 'Seen', type: 'date' },
      { name: 'Color', priority: 1 },
    ]);
    expect(body.rows.map(({ cells }) => cells)).toEqual([
      ['a', 'True', '3m20s', 'red'],
      ['b', null, null, 'red'],
    ]);
    expect(body.rows[0]?.object).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { name: 'a' } });
  });

  it.each([
    ['Object', { kind: 'Widget', spec: { color: 'red' } }],
    ['Metadata', { kind: 'PartialObjectMetadata' }],
  ])('carry the row object as %s', async (includeObject, object) => {
    const { body } = await get(`${widgetsPath}/a?includeObject=${includeObject}`, tableType);
    expect(body.rows).toHaveLength(1);
    expect(body.rows[0]?.object).toMatchObject(object);
  });

  it('carry no row object when none is wanted', async () => {
    expect((await get(`${widgetsPath}/a?includeObject=None`, tableType)).body.rows[0]).not.toHaveProperty('object');
  });

  it.each([
    ['/api/v1/namespaces/default', ['Name', 'Status', 'Age'], ['default', 'Active']],
    ['/api/v1/namespaces/default/serviceaccounts/default', ['Name', 'Secrets', 'Age'], ['default', 0]],
    [
      '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.test',
      ['Name', 'Created At'],
      ['widgets.example.test'],
    ],
  ])('show %s as kubectl knows it', async (path, columns, cells) => {
    const { body } = await get(path, tableType);
    expect(body.columnDefinitions?.map(({ name }) => name)).toEqual(columns);
    expect(body.rows[0]?.cells.slice(0, cells.length)).toEqual(cells);
  });
});

describe('the Accept header', () => {
  it.each([
    '',
    '*/*',
    'application/json',
    'application/vnd.kubernetes.protobuf,application/json',
    'application/json; charset=utf-8',
  ])('gets JSON for %j', async (accept) => {
    expect((await get(`${widgetsPath}/a`, accept)).body).toMatchObject({ kind: 'Widget' });
  });

  it.each(['text/html', 'application/vnd.kubernetes.protobuf', 'application/json;as=Table;v=v1beta1;g=meta.k8s.io'])(
    'gets 406 for %j',
    async (accept) => {
      expect((await get(`${widgetsPath}/a`, accept)).body).toMatchObject({ code: 406, reason: 'NotAcceptable' });
    },
  );
});
