import { type ApiServer, type FaultProxy, startApiServer, startFaultProxy } from '@buildkeeper/embedded-cluster';
import { createSystemClock, failureOf, ManualClock } from '@buildkeeper/retry-policy';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEventRecorder } from './event-recorder.ts';
import type { KubeClient } from './kube-client.ts';
import type { KubeObject } from './kube-object.ts';
import { createLeaseClient } from './lease.ts';
import { microTime } from './micro-time.ts';
import { createReflector, type Reflector } from './reflector.ts';
import type { ResourceType } from './resource-type.ts';
import { readSecret, secretResource } from './secrets.ts';
import { quickClient, quickTiming, until } from './testing/rig.ts';

const gadgetResource: ResourceType = {
  group: 'example.org',
  version: 'v1',
  plural: 'gadgets',
  kind: 'Gadget',
  namespaced: true,
};
const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const gadgetDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gadgets.example.org' },
  spec: {
    group: 'example.org',
    scope: 'Namespaced',
    names: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: anything, status: anything } } },
      },
    ],
  },
};
const gadget = (name: string, size: number) => ({
  apiVersion: 'example.org/v1',
  kind: 'Gadget',
  metadata: { name, namespace: 'team' },
  spec: { size },
});
const pathOf = (name: string) => `/apis/example.org/v1/namespaces/team/gadgets/${name}`;
const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } };

let api: ApiServer;
let proxy: FaultProxy;
let client: KubeClient;
let stop: AbortController;
let runs: Promise<void>[];
beforeEach(async () => {
  api = await startApiServer({ crds: [gadgetDefinition] });
  await api.apply(namespace);
  proxy = await startFaultProxy({ targetPort: api.port });
  client = quickClient(proxy.url);
  stop = new AbortController();
  runs = [];
});
afterEach(async () => {
  stop.abort(new Error('The test is over'));
  await Promise.all(runs);
  await client.close();
  await proxy.close();
  await api.close();
});

function mirror(resource: ResourceType, metadataOnly = false): Reflector<KubeObject> & { readonly story: string[] } {
  const story: string[] = [];
  const reflector = createReflector<KubeObject>({
    client,
    resource,
    metadataOnly,
    clock: createSystemClock(),
    random: Math.random,
    timing: { ...quickTiming, silenceMs: 300 },
    onChange: (change) => story.push(`${change.type} ${change.object.metadata.name}`),
  });
  runs.push(reflector.run(stop.signal));
  return Object.assign(reflector, { story });
}

describe('against the embedded API server', () => {
  it('a reflector comes through every fault that the proxy can make', async () => {
    await api.apply(gadget('a', 1));
    const gadgets = mirror(gadgetResource);
    await gadgets.synced;
    const sees = (name: string, size: number) =>
      until(() => (gadgets.store.get(`team/${name}`)?.spec as { size: number } | undefined)?.size === size);

    await api.apply(gadget('a', 2));
    await sees('a', 2);
    proxy.cutConnections();
    await api.apply(gadget('a', 3));
    await sees('a', 3);
    api.dropWatches();
    await api.apply(gadget('a', 4));
    await sees('a', 4);
    await proxy.refuse();
    await api.apply(gadget('a', 5));
    await api.delete(pathOf('a'));
    await api.apply(gadget('a', 6));
    await api.apply(gadget('b', 1));
    api.compact();
    await proxy.accept();
    await sees('a', 6);
    await sees('b', 1);
    proxy.blackhole();
    await api.apply(gadget('b', 2));
    await until(() => proxy.connectionCount > 3);
    proxy.unblackhole();
    await sees('b', 2);
    await api.delete(pathOf('a'));
    await until(() => gadgets.store.size === 1);
    expect(gadgets.story.filter((line) => !line.startsWith('updated'))).toEqual([
      'added a',
      'deleted a',
      'added a',
      'added b',
      'deleted a',
    ]);
  });

  it('a status patch goes through once, and is refused when the object has changed', async () => {
    await api.apply(gadget('a', 1));
    const before = await client.get(gadgetResource, { namespace: 'team', name: 'a' }, stop.signal);
    const { resourceVersion } = before.metadata;
    const patch = (phase: string) => ({ metadata: { resourceVersion }, status: { phase } });
    const patched = await client.patchStatus(gadgetResource, before.metadata, patch('Ready'), stop.signal);
    expect(patched).toMatchObject({ spec: { size: 1 }, status: { phase: 'Ready' } });
    const second = await client
      .patchStatus(gadgetResource, before.metadata, patch('Late'), stop.signal)
      .catch((error: unknown) => error);
    expect(failureOf(second)?.class).toBe('conflict');
  });

  it('a metadata-only reflector of Secrets never holds their data, and sees them change', async () => {
    const secret = (password: string) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'login', namespace: 'team' },
      type: 'Opaque',
      data: { password: Buffer.from(password).toString('base64') },
    });
    await api.apply(secret('one'));
    const secrets = mirror(secretResource, true);
    await secrets.synced;
    const first = secrets.store.get('team/login');
    await api.apply(secret('two'));
    await until(() => secrets.story.includes('updated login'));
    expect(secrets.store.get('team/login')?.metadata.resourceVersion).not.toBe(first?.metadata.resourceVersion);
    expect(JSON.stringify(secrets.store.list())).not.toContain('password');
    const read = await readSecret(client, { namespace: 'team', name: 'login' }, stop.signal);
    expect(Buffer.from(read!.data['password']!).toString()).toBe('two');
  });

  it('a Lease is created, renewed, and lost to who was faster', async () => {
    const lease = createLeaseClient(client, { namespace: 'team', name: 'leader' });
    const spec = { holderIdentity: 'me', leaseDurationSeconds: 15, renewTime: microTime(Date.UTC(2026, 0, 1)) };
    expect(await lease.get(stop.signal)).toBeUndefined();
    const created = await lease.create(spec, stop.signal);
    const renewed = await lease.replace(created, { ...spec, leaseTransitions: 1 }, stop.signal);
    expect(renewed.spec).toMatchObject({ holderIdentity: 'me', leaseTransitions: 1 });
    const late = await lease.replace(created, spec, stop.signal).catch((error: unknown) => error);
    expect(failureOf(late)?.class).toBe('conflict');
    const again = await lease.create(spec, stop.signal).catch((error: unknown) => error);
    expect(again).toMatchObject({ statusReason: 'AlreadyExists', failure: { class: 'conflict' } });
  });

  it('an event is taken by the server', async () => {
    const stored = (await api.apply(gadget('a', 1))) as KubeObject & { kind: string; apiVersion: string };
    const logged: string[] = [];
    const recorder = createEventRecorder({
      client,
      clock: new ManualClock(),
      component: 'buildkeeper.io/builder',
      logger: ({ msg }) => logged.push(msg),
    });
    const event = { type: 'Normal', reason: 'Succeeded', note: 'back after 20 s', action: 'Reconcile' } as const;
    await recorder.record(stored, event, stop.signal);
    expect(logged).toEqual([]);
    const path = '/apis/events.k8s.io/v1/namespaces/team/events';
    expect(api.requests.filter((one) => one.path === path).map((one) => one.status)).toEqual([201]);
  });
});
