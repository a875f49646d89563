import { type RegistryDeps } from '@buildkeeper/buildpacks';
import { type ClusterStack } from '@buildkeeper/kpack-api';
import { describe, expect, it } from 'vitest';
import { reconcileClusterStack } from './reconcile.ts';

const stack: ClusterStack = {
  apiVersion: 'kpack.io/v1alpha2',
  kind: 'ClusterStack',
  metadata: { name: 'base', uid: '1', resourceVersion: '1' },
  spec: {
    id: 'sample',
    buildImage: { image: 'registry.example/build' },
    runImage: { image: 'registry.example/run' },
    serviceAccountRef: { namespace: 'platform', name: 'robot' },
  },
};
const context = { signal: new AbortController().signal, nowMs: 0, isRequested: false };
const withoutAccounts = { keychains: { forReference: () => Promise.resolve(undefined) } } as unknown as RegistryDeps;

describe('reconcileClusterStack', () => {
  it('refuses an image that is no reference, naming the field', async () => {
    const spec = { ...stack.spec, runImage: { image: 'registry.example/UPPER' } };
    expect(await reconcileClusterStack({ ...stack, spec }, withoutAccounts, context)).toMatchObject({
      kind: 'failed',
      failure: { class: 'invalid', reason: 'SpecInvalid', message: expect.stringContaining('runImage') as string },
    });
  });

  it('waits at the pace of auth for a ServiceAccount that is not there, naming it', async () => {
    expect(await reconcileClusterStack(stack, withoutAccounts, context)).toEqual({
      kind: 'waiting',
      message: 'ServiceAccount platform/robot does not exist',
      pace: 'auth',
    });
  });
});
