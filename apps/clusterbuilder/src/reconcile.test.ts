import { type BuilderControllerDeps, type BuilderToFind } from '@buildkeeper/buildpacks';
import { type ClusterBuilder } from '@buildkeeper/kpack-api';
import { describe, expect, it } from 'vitest';
import { findClusterBuilder, reconcileClusterBuilder } from './reconcile.ts';

const builder: ClusterBuilder = {
  apiVersion: 'kpack.io/v1alpha2',
  kind: 'ClusterBuilder',
  metadata: { name: 'app', uid: '1', resourceVersion: '1' },
  spec: {
    tag: 'registry.example/team/app',
    stack: { name: 'base' },
    order: [{ group: [{ id: 'sample/any' }] }],
    serviceAccountRef: { namespace: 'platform', name: 'robot' },
  },
};
const context = { signal: new AbortController().signal, nowMs: 0, isRequested: false };

describe('reconcileClusterBuilder', () => {
  it('refuses an order that names a Buildpack, which a ClusterBuilder cannot see', async () => {
    const spec = { ...builder.spec, order: [{ group: [{ kind: 'Buildpack' as const, name: 'own' }] }] };
    const outcome = await reconcileClusterBuilder({ ...builder, spec }, {} as BuilderControllerDeps, context);
    expect(outcome).toMatchObject({ kind: 'failed', failure: { class: 'invalid', reason: 'SpecInvalid' } });
  });
});

describe('findClusterBuilder', () => {
  it('uses the account that the spec names, of any namespace', () => {
    let asked: BuilderToFind | undefined;
    const find = (toFind: BuilderToFind) => {
      asked = toFind;
      return {} as ReturnType<BuilderControllerDeps['find']>;
    };
    findClusterBuilder(builder, { find } as BuilderControllerDeps);
    expect(asked).toMatchObject({
      builder: { kind: 'ClusterBuilder', name: 'app' },
      account: { namespace: 'platform', name: 'robot' },
    });
  });
});
