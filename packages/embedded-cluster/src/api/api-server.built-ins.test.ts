import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiServer, startApiServer } from './api-server.ts';
import { call } from './testing/api-client.ts';

let server: ApiServer;
beforeAll(async () => {
  server = await startApiServer();
});
afterAll(() => server.close());

const namespacePath = '/api/v1/namespaces/default';
const eventsPath = '/apis/events.k8s.io/v1/namespaces/default/events';
const leasesPath = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const post = (path: string, body: unknown) => call(server.url + path, { method: 'POST', body });
const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('Secrets', () => {
  const secretsPath = `${namespacePath}/secrets`;
  const secret = (name: string, fields: object) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name },
    ...fields,
  });

  it('move stringData into data, over what is there', async () => {
    const { body } = await post(
      secretsPath,
      secret('clear', { data: { a: base64('old'), b: base64('kept') }, stringData: { a: 'new' } }),
    );
    expect(body).toMatchObject({ type: 'Opaque', data: { a: base64('new'), b: base64('kept') } });
    expect(body).not.toHaveProperty('stringData');
    expect(body.metadata).not.toHaveProperty('generation');
  });

  it('keep their type, and can be selected by it', async () => {
    await post(secretsPath, secret('typed', { type: 'example.test/token' }));
    await expect(server.patch(`${secretsPath}/typed`, { type: 'Opaque' })).rejects.toMatchObject({ code: 422 });
    const selected = await server.get(`${secretsPath}?fieldSelector=type%3Dexample.test/token`);
    expect(selected).toMatchObject({ items: [{ metadata: { name: 'typed' } }] });
  });

  it.each<[string, object, number, string]>([
    ['a value that is no base64', { data: { a: '%' } }, 400, 'data.a'],
    [
      'a registry Secret without its key',
      { type: 'kubernetes.io/dockerconfigjson' },
      422,
      'data[.dockerconfigjson]: Required value',
    ],
    [
      'a registry Secret that is no JSON',
      { type: 'kubernetes.io/dockerconfigjson', stringData: { '.dockerconfigjson': 'hidden' } },
      422,
      'must be a JSON object',
    ],
  ])('are refused with %s, which the message does not show', async (_case, fields, code, message) => {
    const { body } = await post(secretsPath, secret('refused', fields));
    expect(body).toMatchObject({ code });
    expect(body['message']).toContain(message);
    expect(body['message']).not.toContain('hidden');
    expect(body['message']).not.toContain(base64('hidden'));
  });

  it('stay as they are once they are immutable', async () => {
    await post(secretsPath, secret('fixed', { immutable: true, data: { a: base64('a') } }));
    await expect(server.patch(`${secretsPath}/fixed`, { data: { a: base64('b') } })).rejects.toMatchObject({
      code: 422,
    });
    expect(await server.patch(`${secretsPath}/fixed`, { metadata: { labels: { a: 'b' } } })).toMatchObject({
      kind: 'Secret',
    });
  });
});

describe('Leases', () => {
  const lease = (name: string, renewTime: string) => ({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name },
    spec: { holderIdentity: 'a', leaseDurationSeconds: 15, renewTime, acquireTime: null },
  });

  it('are taken by the one who has read them last', async () => {
    const { body: read } = await post(leasesPath, lease('held', '2026-01-02T03:04:05.000000Z'));
    const put = (holderIdentity: string) =>
      call(`${server.url}${leasesPath}/held`, {
        method: 'PUT',
        body: { ...read, spec: { ...read.spec, holderIdentity } },
      });
    expect((await put('b')).body.spec).toMatchObject({ holderIdentity: 'b' });
    expect((await put('c')).body).toMatchObject({ code: 409, reason: 'Conflict' });
  });

  it.each(['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.123Z', 'noon'])(
    'refuse the time %s: it needs six digits of a second',
    async (time) => {
      const { body } = await post(leasesPath, lease('refused', time));
      expect(body).toMatchObject({ code: 400, reason: 'BadRequest' });
      expect(body['message']).toContain('spec.renewTime');
    },
  );
});

describe('Events', () => {
  const event = (fields: object = {}) => ({
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { generateName: 'e-', namespace: 'default' },
    eventTime: '2026-01-02T03:04:05.000000Z',
    reportingController: 'example.test/c',
    reportingInstance: 'c-1',
    action: 'Reconcile',
    reason: 'Recovered',
    type: 'Normal',
    note: 'well again',
    regarding: { apiVersion: 'example.test/v1', kind: 'Widget', name: 'w', uid: 'u-1' },
    ...fields,
  });

  it('are the same objects in both groups', async () => {
    const { body: written } = await post(eventsPath, event());
    const name = written.metadata.name ?? '';
    expect(await server.get(`${namespacePath}/events/${name}`)).toMatchObject({
      apiVersion: 'v1',
      involvedObject: { kind: 'Widget', name: 'w', uid: 'u-1' },
      message: 'well again',
      reportingComponent: 'example.test/c',
    });
    expect(await server.get(`${eventsPath}/${name}`)).toEqual(written);
    const fields = 'involvedObject.name=w,involvedObject.kind=Widget,involvedObject.uid=u-1,involvedObject.namespace=';
    const found = await server.get(`${namespacePath}/events?fieldSelector=${encodeURIComponent(fields)}`);
    expect(found).toMatchObject({ items: [{ metadata: { name } }] });
    const other = await server.get(`${eventsPath}?fieldSelector=${encodeURIComponent('regarding.name=x')}`);
    expect(other).toMatchObject({ items: [] });
  });

  it('may be loose in the core group, where eventTime is absent', async () => {
    const core = {
      metadata: { name: 'loose' },
      involvedObject: { kind: 'Widget', name: 'w', namespace: 'default' },
      reason: 'R',
    };
    expect((await post(`${namespacePath}/events`, core)).status).toBe(201);
    expect(await server.get(`${eventsPath}/loose`)).toMatchObject({ regarding: { name: 'w' }, reason: 'R' });
  });

  it.each<[string, object, string]>([
    ['no time', { eventTime: null }, 'eventTime'],
    ['no controller', { reportingController: '' }, 'reportingController'],
    ['no instance', { reportingInstance: undefined }, 'reportingInstance'],
    ['no action', { action: '' }, 'action'],
    ['no reason', { reason: undefined }, 'reason'],
    ['another type', { type: 'Error' }, 'type'],
    ['a long note', { note: 'x'.repeat(1025) }, 'note'],
    ['a long instance', { reportingInstance: 'x'.repeat(129) }, 'reportingInstance'],
    [
      'an object of another namespace',
      { regarding: { kind: 'Widget', name: 'w', namespace: 'other' } },
      'involvedObject.namespace',
    ],
  ])('are refused with %s', async (_case, fields, field) => {
    const { body } = await post(eventsPath, event(fields));
    expect(body).toMatchObject({ code: 422, reason: 'Invalid', details: { causes: [{ field }] } });
  });

  it('about cluster-scoped objects live in the namespace default', async () => {
    await server.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } });
    const elsewhere = event({ metadata: { name: 'e', namespace: 'other' } });
    expect((await post(eventsPath.replace('default', 'other'), elsewhere)).body).toMatchObject({ code: 422 });
  });
});
