import { type RegistryDeps } from '@buildkeeper/buildpacks';
import { type ClusterStore } from '@buildkeeper/kpack-api';
import { describe, expect, it } from 'vitest';
import { reconcileClusterStore } from './reconcile.ts';

const store: ClusterStore = {
  apiVersion: 'kpack.io/v1alpha2',
  kind: 'ClusterStore',
  metadata: { name: 'default', uid: '1', resourceVersion: '1' },
  spec: {
    sources: [{ image: 'registry.example/buildpacks' }],
    serviceAccountRef: { namespace: 'platform', name: 'robot' },
  },
};
const context = { signal: new AbortController().signal, nowMs: 0, isRequested: false };
const withoutAccounts = { keychains: { forReference: () => Promise.resolve(undefined) } } as unknown as RegistryDeps;

describe('reconcileClusterStore', () => {
  it('refuses a source that is no reference, naming which', async () => {
    const spec = { ...store.spec, sources: [{ image: 'registry.example/good' }, { image: 'not a reference' }] };
    expect(await reconcileClusterStore({ ...store, spec }, withoutAccounts, context)).toMatchObject({
      kind: 'failed',
      failure: { class: 'invalid', reason: 'SpecInvalid', message: expect.stringContaining('sources[1]') as string },
    });
  });

  it('waits at the pace of auth for a ServiceAccount that is not there, naming it', async () => {
    expect(await reconcileClusterStore(store, withoutAccounts, context)).toEqual({
      kind: 'waiting',
      message: 'ServiceAccount platform/robot does not exist',
      pace: 'auth',
    });
  });
});
