import { afterEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type ApiServer, type ApiServerOptions, startApiServer } from './api-server.ts';
import { listAt, stringAt, valueAt } from './json-value.ts';
import { call, openWatch } from './testing/api-client.ts';
import { widgetDefinition, widgetsPath } from './testing/widget-definition.ts';

const servers: ApiServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function start(options?: ApiServerOptions): Promise<ApiServer> {
  const server = await startApiServer(options);
  servers.push(server);
  return server;
}

describe('startApiServer', () => {
  it('listens between 20000 and 32000 on its own choice, and on the port it is given', async () => {
    const chosen = await start();
    expect(chosen.port).toBeGreaterThanOrEqual(20_000);
    expect(chosen.port).toBeLessThanOrEqual(32_000);
    await chosen.close();
    const given = await start({ port: chosen.port });
    expect(given.url).toBe(`http://127.0.0.1:${chosen.port}`);
  });

  it('rejects when the given port is taken', async () => {
    const { port } = await start();
    await expect(startApiServer({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  it('rejects when a definition is refused', async () => {
    const crd = { ...widgetDefinition(), metadata: { name: 'other.example.test' } };
    await expect(startApiServer({ crds: [crd] })).rejects.toMatchObject({ code: 422, reason: 'Invalid' });
  });

  it.each(['/healthz', '/livez', '/readyz', '/readyz/ping'])('answers ok at %s', async (path) => {
    const { url } = await start();
    expect(await call(url + path)).toMatchObject({ status: 200, text: 'ok' });
  });

  it('tells its version', async () => {
    const { url } = await start();
    expect((await call(`${url}/version`)).body).toMatchObject({ major: '1', minor: '32' });
  });

  it('has the namespaces and ServiceAccounts of a new cluster', async () => {
    const { url } = await start();
    const namespaces = await call(`${url}/api/v1/namespaces`);
    expect(namespaces.body.items.map(({ metadata }) => metadata.name)).toEqual(['default', 'kube-system']);
    expect((await call(`${url}/api/v1/namespaces/default/serviceaccounts/default`)).status).toBe(200);
  });

  it('keeps a log of the requests over the network alone', async () => {
    const server = await start({ crds: [widgetDefinition()] });
    await server.get('/api/v1/namespaces');
    await call(`${server.url}${widgetsPath}?limit=5&x=a`, { headers: { 'user-agent': 'test/1' } });
    await call(`${server.url}${widgetsPath}/none`, { method: 'DELETE' });
    expect(server.requests).toEqual([
      { method: 'GET', path: widgetsPath, query: 'limit=5&x=a', status: 200, userAgent: 'test/1' },
      { method: 'DELETE', path: `${widgetsPath}/none`, query: '', status: 404, userAgent: '' },
    ]);
  });

  it('ends open watches and frees the port when it is closed', async () => {
    const server = await start();
    const watch = await openWatch(`${server.url}/api/v1/namespaces?watch=true&resourceVersion=9007199254740991`);
    await server.close();
    expect(await watch.rest()).toEqual([]);
    await expect(call(server.url)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});

describe('discovery', () => {
  it('lists groups, versions and resources, and those of a definition in the order of preference', async () => {
    const { url } = await start({ crds: [widgetDefinition()] });
    expect((await call(`${url}/api`)).body).toMatchObject({ kind: 'APIVersions', versions: ['v1'] });
    const { groups } = (await call(`${url}/apis`)).body;
    expect(groups.map(({ name }) => name)).toEqual([
      'events.k8s.io',
      'coordination.k8s.io',
      'apiextensions.k8s.io',
      'example.test',
    ]);
    expect((await call(`${url}/apis/example.test`)).body).toMatchObject({
      kind: 'APIGroup',
      preferredVersion: { version: 'v1' },
      versions: [{ version: 'v1' }, { version: 'v1beta1' }],
    });
    expect((await call(`${url}/apis/example.test/v1`)).body['resources']).toMatchObject([
      {
        name: 'widgets',
        singularName: 'widget',
        namespaced: true,
        kind: 'Widget',
        shortNames: ['wd'],
        categories: ['things'],
      },
      { name: 'widgets/status', verbs: ['get', 'patch', 'update'] },
    ]);
  });

  it('answers plain JSON to a client that would rather have aggregated discovery', async () => {
    const { url } = await start();
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json';
    const answer = await call(`${url}/apis`, { accept });
    expect(answer.headers['content-type']).toBe('application/json');
    expect(answer.body.kind).toBe('APIGroupList');
  });

  it('publishes the schemas of definitions as OpenAPI v3', async () => {
    const { url } = await start({ crds: [widgetDefinition()] });
    const index = await call(`${url}/openapi/v3`);
    const place = stringAt(index.body, 'paths', 'apis/example.test/v1', 'serverRelativeURL') ?? '';
    const { body } = await call(url + place);
    expect(valueAt(body, 'components', 'schemas', 'test.example.v1.Widget')).toMatchObject({
      'x-kubernetes-group-version-kind': [{ group: 'example.test', version: 'v1', kind: 'Widget' }],
      properties: { spec: { properties: { size: { type: 'integer', minimum: 1 } } } },
    });
    const itemPath = '/apis/example.test/v1/namespaces/{namespace}/widgets/{name}';
    expect(listAt(body, 'paths', itemPath, 'patch', 'parameters')).toContainEqual(
      expect.objectContaining({ name: 'fieldValidation' }),
    );
    expect((await call(`${url}/openapi/v2`)).body).toMatchObject({ swagger: '2.0' });
  });
});

describe('paths that are not served', () => {
  it.each([
    ['/api/v1/pods', 404],
    ['/api/v1/namespaces/default/pods/x/log', 404],
    ['/apis/example.test/v1/widgets', 404],
    ['/apis/coordination.k8s.io/v1/namespaces/default/leases/x/status', 404],
    ['/api/v1/secrets/x', 404],
    ['/api/v1/namespaces/default/namespaces', 404],
    ['/api/v2', 404],
    ['/nothing', 404],
    ['/api/v1/namespaces/%zz', 400],
  ])('answers %s with %i and a Status', async (path, status) => {
    const { url } = await start();
    const answer = await call(url + path);
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code: status });
  });

  it.each([
    ['POST', '/api/v1/secrets'],
    ['POST', '/apis'],
    ['PUT', '/api/v1/namespaces'],
    ['DELETE', '/api/v1/namespaces/default/status'],
  ])('answers 405 to %s %s', async (method, path) => {
    const { url } = await start();
    expect((await call(url + path, { method, body: {} })).body).toMatchObject({
      code: 405,
      reason: 'MethodNotAllowed',
    });
  });
});

describe('a server with a token', () => {
  it.each([
    ['no token', undefined, '/api/v1/namespaces', 401],
    ['a wrong token', 'Bearer no', '/api/v1/namespaces', 401],
    ['the token', 'Bearer s3cret', '/api/v1/namespaces', 200],
    ['no token on a health check', undefined, '/readyz', 200],
  ])('answers a request with %s', async (_case, authorization, path, status) => {
    const { url } = await start({ token: 's3cret' });
    const answer = await call(url + path, { headers: authorization === undefined ? {} : { authorization } });
    expect(answer.status).toBe(status);
    if (status === 401) expect(answer.body).toMatchObject({ kind: 'Status', reason: 'Unauthorized', code: 401 });
  });
});

describe('kubeconfig', () => {
  it('names the server and the token', async () => {
    const server = await start({ token: 's3cret' });
    expect(parse(server.kubeconfig())).toMatchObject({
      clusters: [{ cluster: { server: server.url, 'insecure-skip-tls-verify': true } }],
      users: [{ user: { token: 's3cret' } }],
      contexts: [{ name: 'buildkeeper', context: { namespace: 'default' } }],
      'current-context': 'buildkeeper',
    });
  });

  it('names the proxy before the server when it is given', async () => {
    const server = await start();
    expect(parse(server.kubeconfig({ server: 'http://127.0.0.1:1' }))).toMatchObject({
      clusters: [{ cluster: { server: 'http://127.0.0.1:1' } }],
      users: [{ user: {} }],
    });
  });
});
