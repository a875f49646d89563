import { type Keychains } from '@buildkeeper/keychain';
import { type ClusterBuildpack } from '@buildkeeper/kpack-api';
import { anonymousKeychain } from '@buildkeeper/registry-client';
import { createSystemClock } from '@buildkeeper/retry-policy';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLifecycleReader } from './lifecycle-reader.ts';
import { reconcileBuilder, type FoundBuilder, type FoundDependency } from './reconcile-builder.ts';
import { startBuilderWorld, type BuilderWorld } from './testing/builder-world.ts';

const apiVersion = 'kpack.io/v1alpha2';
const metadata = (name: string) => ({ name, uid: name, resourceVersion: '1', generation: 3 });

let world: BuilderWorld;
let found: FoundBuilder;
beforeAll(async () => {
  world = await startBuilderWorld();
  const { stack, sources } = await world.input();
  const { buildImage, runImage } = stack.resolved;
  const image = (text: string | undefined) => ({ image: text ?? '' });
  found = {
    builder: { kind: 'Builder', namespace: 'team', name: 'sample' },
    spec: { tag: world.reference('team/builder'), order: [{ group: [{ id: 'sample/hello-universe' }] }] },
    status: undefined,
    account: { namespace: 'team', name: 'default' },
    stack: good({
      apiVersion,
      kind: 'ClusterStack',
      metadata: metadata('base'),
      spec: { id: stack.resolved.id, buildImage: image(buildImage.image), runImage: image(runImage.image) },
      status: stack.resolved,
    }),
    store: good({
      apiVersion,
      kind: 'ClusterStore',
      metadata: metadata('default'),
      spec: { sources: [] },
      status: { buildpacks: [...(sources[0]?.buildpacks ?? [])] },
    }),
    lifecycle: good({
      apiVersion,
      kind: 'ClusterLifecycle',
      metadata: metadata('default-lifecycle'),
      spec: { image: world.samples.lifecycle },
    }),
    buildpacks: [],
    clusterBuildpacks: [],
  };
});
afterAll(() => world.close());

function good<T>(object: T): FoundDependency<T> {
  return { object, isReady: true, isUpToDate: true, message: 'is ready' };
}

function missing(message: string) {
  return { object: undefined, isReady: false, isUpToDate: false, message };
}

/** Keychains of a cluster with these accounts, none of which holds a Secret. */
function accounts(...names: readonly string[]): Keychains & { readonly asked: string[] } {
  const asked: string[] = [];
  const keychains: Keychains & { readonly asked: string[] } = {
    asked,
    forServiceAccount: ({ name }) => {
      asked.push(name);
      return Promise.resolve(names.includes(name) ? { ...anonymousKeychain, missing: [], broken: [] } : undefined);
    },
    forReference: (account, signal) =>
      account === undefined ? Promise.resolve(anonymousKeychain) : keychains.forServiceAccount(account, signal),
    uses: () => false,
  };
  return keychains;
}

function reconcile(part: Partial<FoundBuilder>, keychains: Keychains = accounts('default')) {
  const lifecycles = createLifecycleReader({
    registry: world.client,
    clock: createSystemClock(),
    refreshIntervalMs: 60_000,
  });
  const deps = { registry: world.client, keychains, lifecycles, warn: () => undefined };
  return reconcileBuilder({ ...found, ...part }, deps, world.signal);
}

describe('reconcileBuilder', () => {
  it.each([
    { lacks: 'stack' as const, message: 'ClusterStack base does not exist' },
    { lacks: 'store' as const, message: 'ClusterStore default does not exist' },
    { lacks: 'lifecycle' as const, message: 'ClusterLifecycle default-lifecycle does not exist' },
  ])('waits for a $lacks that is not there, and says which', async ({ lacks, message }) => {
    expect(await reconcile({ [lacks]: missing(message) })).toEqual({ kind: 'waiting', message });
  });

  it('waits for a stack that is not ready, with what is the matter with it', async () => {
    const message = 'ClusterStack base is not ready: RegistryUnavailable: Cannot read manifest';
    const stack = { ...found.stack, isReady: false, isUpToDate: false, message };
    expect(await reconcile({ stack })).toEqual({ kind: 'waiting', message });
  });

  it('waits at the pace of auth for a ServiceAccount that is not there', async () => {
    expect(await reconcile({}, accounts())).toEqual({
      kind: 'waiting',
      message: 'ServiceAccount team/default does not exist',
      pace: 'auth',
    });
  });

  it('waits for a store that is not up to date when it lacks a buildpack', async () => {
    const spec = { ...found.spec, order: [{ group: [{ id: 'sample/unheard-of' }] }] };
    const store = { ...found.store!, isUpToDate: false, message: 'ClusterStore default is not up to date' };
    expect(await reconcile({ spec, store })).toEqual({ kind: 'waiting', message: store.message });
  });

  it('calls a buildpack that an up-to-date store lacks a mistake', async () => {
    const spec = { ...found.spec, order: [{ group: [{ id: 'sample/unheard-of' }] }] };
    await expect(reconcile({ spec })).rejects.toMatchObject({
      failure: { class: 'invalid', reason: 'BuildpackNotFound' },
    });
  });

  it('builds from a store that is not ready, when what it needs is there', async () => {
    const store = { ...found.store!, isReady: false, isUpToDate: false, message: 'ClusterStore default is not ready' };
    expect(await reconcile({ store })).toMatchObject({ kind: 'ready' });
  });

  it('asks nothing of an account of an object that the order does not use', async () => {
    const stranger = {
      apiVersion,
      kind: 'ClusterBuildpack' as const,
      metadata: metadata('stranger'),
      spec: { image: 'registry.example/stranger', serviceAccountRef: { namespace: 'elsewhere', name: 'nobody' } },
      status: { buildpacks: [{ id: 'stranger/buildpack', version: '1.0.0' }] },
    };
    const keychains = accounts('default');
    expect(await reconcile({ clusterBuildpacks: [stranger as ClusterBuildpack] }, keychains)).toMatchObject({
      kind: 'ready',
    });
    expect(keychains.asked).toEqual(['default']);
  });

  it('reads the lifecycle that the spec names when the status is of an earlier spec', async () => {
    const object = {
      ...found.lifecycle.object!,
      status: {
        observedGeneration: 2,
        image: { image: world.samples.lifecycle, latestImage: world.reference('gone@sha256:'.padEnd(76, '0')) },
      },
    };
    expect(await reconcile({ lifecycle: good(object) })).toMatchObject({ kind: 'ready' });
  });

  it('says which generations of stack and store it is made of, and reads each account once', async () => {
    const keychains = accounts('default');
    const outcome = await reconcile({}, keychains);
    expect(outcome).toMatchObject({
      kind: 'ready',
      status: {
        observedStackGeneration: 3,
        observedStoreGeneration: 3,
      },
    });
    expect(keychains.asked).toEqual(['default']);
  });
});
