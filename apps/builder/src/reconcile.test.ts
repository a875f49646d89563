import { type BuilderControllerDeps, type BuilderToFind } from '@buildkeeper/buildpacks';
import { type Builder } from '@buildkeeper/kpack-api';
import { describe, expect, it } from 'vitest';
import { findBuilder, reconcileBuilder } from './reconcile.ts';

const builder: Builder = {
  apiVersion: 'kpack.io/v1alpha2',
  kind: 'Builder',
  metadata: { name: 'app', namespace: 'team', uid: '1', resourceVersion: '1' },
  spec: { tag: 'registry.example/team/app', stack: { name: 'base' }, order: [{ group: [{ id: 'sample/any' }] }] },
};
const context = { signal: new AbortController().signal, nowMs: 0, isRequested: false };

/** Dependencies that nobody may use: whatever is asked of them fails the test. */
const untouched = new Proxy({} as BuilderControllerDeps, {
  get: (_, name) => {
    throw new Error(`${String(name)} was used`);
  },
});

describe('reconcileBuilder', () => {
  it('refuses a spec that cannot be built, naming the field, before anything is asked of a registry', async () => {
    const spec = { ...builder.spec, order: [] };
    expect(await reconcileBuilder({ ...builder, spec }, untouched, context)).toMatchObject({
      kind: 'failed',
      failure: { class: 'invalid', reason: 'SpecInvalid', message: expect.stringContaining('spec.order') as string },
    });
  });
});

describe('findBuilder', () => {
  it.each([
    { spec: {}, name: 'default', because: 'none is named' },
    { spec: { serviceAccountName: 'robot' }, name: 'robot', because: 'one is named' },
    { spec: { serviceAccount: 'older' }, name: 'older', because: 'one is named by the older field' },
  ])('uses account $name of its own namespace when $because', ({ spec, name }) => {
    let asked: BuilderToFind | undefined;
    const find = (toFind: BuilderToFind) => {
      asked = toFind;
      return {} as ReturnType<BuilderControllerDeps['find']>;
    };
    findBuilder({ ...builder, spec: { ...builder.spec, ...spec } }, { find } as BuilderControllerDeps);
    expect(asked).toMatchObject({
      builder: { kind: 'Builder', namespace: 'team', name: 'app' },
      account: { namespace: 'team', name },
    });
  });
});
