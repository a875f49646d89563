import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KubeClient } from './kube-client.ts';
import type { KubeObject } from './kube-object.ts';
import type { ResourceType } from './resource-type.ts';
import { quickClient } from './testing/rig.ts';
import { refuse, ScriptServer, sendJson, type Widget, widgetResource } from './testing/script-server.ts';

const namespaceResource: ResourceType = {
  group: '',
  version: 'v1',
  plural: 'namespaces',
  kind: 'Namespace',
  namespaced: false,
};
const { signal } = new AbortController();

let server: ScriptServer;
let client: KubeClient;
beforeEach(async () => {
  server = await new ScriptServer().start();
  client = quickClient(server.url);
});
afterEach(async () => {
  await client.close();
  await server.close();
});

const lastSeen = () => {
  const { method, url, headers, body } = server.seen.at(-1)!;
  return {
    method,
    path: url.pathname,
    type: headers['content-type'],
    body: body === '' ? undefined : (JSON.parse(body) as unknown),
  };
};

describe('paths', () => {
  it('get reads a namespaced object', async () => {
    server.write('w1', 1);
    const widget = await client.get<Widget>(widgetResource, { namespace: 'team', name: 'w1' }, signal);
    expect(widget.spec.size).toBe(1);
    expect(lastSeen()).toMatchObject({ method: 'GET', path: '/apis/example.org/v1/namespaces/team/widgets/w1' });
  });

  it('get reads a cluster-scoped object of the core group, and encodes odd names', async () => {
    server.write('a%2F%3Fb', 1);
    await client.get(namespaceResource, { name: 'a/?b' }, signal);
    expect(lastSeen().path).toBe('/api/v1/namespaces/a%2F%3Fb');
  });

  it('keeps a path that the address of the server has', async () => {
    server.write('w1', 1);
    const behindGateway = quickClient(`${server.url}/k8s/clusters/c-1`);
    await behindGateway.get(widgetResource, { namespace: 'team', name: 'w1' }, signal);
    expect(lastSeen().path).toBe('/k8s/clusters/c-1/apis/example.org/v1/namespaces/team/widgets/w1');
    await behindGateway.close();
  });
});

describe('writes', () => {
  it('patchStatus sends a merge patch of the status subresource, with the version it was made from', async () => {
    const { metadata } = server.write('w1', 1);
    const patch = { metadata: { resourceVersion: metadata.resourceVersion }, status: { phase: 'Ready' } };
    const answer = await client.patchStatus<Widget>(widgetResource, metadata, patch, signal);
    expect(answer.status).toEqual({ phase: 'Ready' });
    expect(lastSeen()).toEqual({
      method: 'PATCH',
      path: '/apis/example.org/v1/namespaces/team/widgets/w1/status',
      type: 'application/merge-patch+json',
      body: patch,
    });
  });

  it('patchStatus of a version that has changed is a conflict, and not repeated', async () => {
    const { metadata } = server.write('w1', 1);
    server.write('w1', 2);
    const patch = { metadata: { resourceVersion: metadata.resourceVersion }, status: {} };
    await expect(client.patchStatus(widgetResource, metadata, patch, signal)).rejects.toMatchObject({
      name: 'KubeError',
      httpStatus: 409,
      statusReason: 'Conflict',
      message: 'Cannot patch the status of example.org/v1 widgets team/w1: 409 Conflict',
      failure: { class: 'conflict', reason: 'Conflict', httpStatus: 409 },
    });
    expect(server.seen).toHaveLength(1);
  });

  it('create posts to the collection', async () => {
    server.scripts.other.push((response, { body }) => {
      sendJson(response, 201, JSON.parse(body));
    });
    const object = { metadata: { name: 'w1', namespace: 'team' }, spec: { size: 1 } };
    await client.create<Widget>(widgetResource, object, signal);
    expect(lastSeen()).toEqual({
      method: 'POST',
      path: '/apis/example.org/v1/namespaces/team/widgets',
      type: 'application/json',
      body: object,
    });
  });

  it('create of what exists is a conflict that says so', async () => {
    server.scripts.other.push(refuse(409, 'AlreadyExists'));
    const object = { metadata: { name: 'w1', namespace: 'team' } };
    await expect(client.create<KubeObject>(widgetResource, object, signal)).rejects.toMatchObject({
      statusReason: 'AlreadyExists',
      failure: { class: 'conflict' },
    });
  });

  it('replace puts the object as it is given, unknown fields and all', async () => {
    const object = { ...server.write('w1', 1), extra: { kept: true } };
    await client.replace(widgetResource, object, signal);
    expect(lastSeen()).toMatchObject({
      method: 'PUT',
      path: '/apis/example.org/v1/namespaces/team/widgets/w1',
      body: object,
    });
  });
});

describe('lists and watches', () => {
  it('listPage reads page after page of one state', async () => {
    for (let at = 1; at <= 5; at += 1) server.write(`w${at}`, at);
    const first = await client.listPage<Widget>(widgetResource, { limit: 3 }, signal);
    server.write('w6', 6);
    const { continueToken } = first;
    const second = await client.listPage<Widget>(widgetResource, { limit: 3, continueToken: continueToken! }, signal);
    expect(first.items.length + second.items.length).toBe(5);
    expect(second.resourceVersion).toBe(first.resourceVersion);
    expect(second).not.toHaveProperty('continueToken');
  });

  it.each([
    ['no list', { kind: 'Widget', metadata: { resourceVersion: '1' } }],
    ['a list without a version', { items: [] }],
    ['an answer that is null', null],
  ])('takes %s for a malformed answer', async (_, body) => {
    server.scripts.list.push((response) => {
      sendJson(response, 200, body);
    });
    await expect(client.listPage(widgetResource, { limit: 3 }, signal)).rejects.toMatchObject({
      message: 'Cannot list example.org/v1 widgets: the answer is not understood (not a list)',
      failure: { class: 'transient' },
    });
  });

  it('watch yields events until the server ends it', async () => {
    const options = { resourceVersion: '10', timeoutSeconds: 60, silenceMs: 5000 };
    const events = client.watch<Widget>(widgetResource, options, signal);
    const first = events.next();
    server.write('w1', 1);
    await expect(first).resolves.toMatchObject({ value: { type: 'ADDED', object: { spec: { size: 1 } } } });
    server.remove('w1');
    await expect(events.next()).resolves.toMatchObject({ value: { type: 'DELETED' } });
    server.endWatches();
    await expect(events.next()).resolves.toMatchObject({ done: true });
  });

  it('a watch that is left early is closed', async () => {
    const options = { resourceVersion: '10', timeoutSeconds: 60, silenceMs: 5000 };
    server.write('w1', 1);
    for await (const event of client.watch<Widget>(widgetResource, options, signal)) {
      expect(event.type).toBe('ADDED');
      break;
    }
    await expect.poll(() => server.openWatches).toBe(0);
  });
});
