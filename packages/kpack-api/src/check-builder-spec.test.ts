import { describe, expect, it } from 'vitest';
import { type BuilderSpec } from './builder.ts';
import { checkBuilderSpec, checkClusterBuilderSpec, type StoredBuilderSpec } from './check-builder-spec.ts';
import { builderServiceAccountName } from './check-service-account.ts';

const good: StoredBuilderSpec = {
  tag: 'registry.example/team/builder',
  stack: { name: 'base' },
  order: [{ group: [{ id: 'example/java' }, { kind: 'ClusterBuildpack', name: 'shared' }] }],
};
const account = { name: 'builder', namespace: 'apps' };

const cases: readonly (readonly [string, StoredBuilderSpec, field: string, says: string])[] = [
  ['no tag', { ...good, tag: '' }, 'spec.tag', 'missing'],
  ['a stack without a name', { ...good, stack: {} }, 'spec.stack.name', 'name a ClusterStack'],
  ['a stack of another kind', { ...good, stack: { name: 'x', kind: 'Stack' } }, 'spec.stack.kind', 'be ClusterStack'],
  ['a store of another kind', { ...good, store: { name: 'x', kind: 'Store' } }, 'spec.store.kind', 'be ClusterStore'],
  ['a lifecycle of another kind', { ...good, lifecycle: { kind: 'Pod' } }, 'spec.lifecycle.kind', 'ClusterLifecycle'],
  ['an empty order', { ...good, order: [] }, 'spec.order', 'builds nothing'],
  ['an empty group', { ...good, order: [{ group: [] }] }, 'spec.order[0].group', 'list a buildpack'],
  ['a group without a list', { ...good, order: [...good.order!, {}] }, 'spec.order[1].group', 'list a buildpack'],
  ['an image', { ...good, order: [{ group: [{ image: 'a/b' }] }] }, 'spec.order[0].group[0].image', 'not supported'],
  ['an entry without a name', { ...good, order: [{ group: [{}] }] }, 'spec.order[0].group[0]', 'names no buildpack'],
  ['a name without a kind', { ...good, order: [{ group: [{ name: 'x' }] }] }, 'spec.order[0].group[0].kind', 'missing'],
  [
    'an unknown kind',
    { ...good, order: [{ group: [{ kind: 'Pod', name: 'x' }] }] },
    'spec.order[0].group[0].kind',
    '"Pod"',
  ],
  [
    'a kind without a name',
    { ...good, order: [{ group: [{ kind: 'ClusterBuildpack' }] }] },
    'spec.order[0].group[0].name',
    'name the ClusterBuildpack',
  ],
  [
    'an id twice in one group',
    { ...good, order: [{ group: [{ id: 'a' }, { id: 'b' }, { id: 'a' }] }] },
    'spec.order[0].group[2].id',
    'at [0]',
  ],
];

describe('the checks of builder specs', () => {
  it('find nothing in a good spec', () => {
    expect(checkBuilderSpec(good)).toEqual([]);
    expect(checkClusterBuilderSpec({ ...good, serviceAccountRef: account })).toEqual([]);
  });

  it.each(cases)('refuse %s', (_, spec, field, says) => {
    const problem = { field, message: expect.stringContaining(says) as string };
    expect(checkBuilderSpec(spec)).toEqual([problem]);
    expect(checkClusterBuilderSpec({ ...spec, serviceAccountRef: account })).toEqual([problem]);
  });

  it('accept the same id in two groups', () => {
    expect(checkBuilderSpec({ ...good, order: [...good.order!, ...good.order!] })).toEqual([]);
  });

  it('accept a store without a name, which is no store', () => {
    expect(checkBuilderSpec({ ...good, store: { kind: 'ClusterStore' } })).toEqual([]);
  });

  it('report every problem at once, also of a spec that is empty', () => {
    const fields = ['spec.tag', 'spec.stack.name', 'spec.order'];
    expect(checkBuilderSpec({}).map(({ field }) => field)).toEqual(fields);
    expect(checkClusterBuilderSpec({}).map(({ field }) => field)).toEqual([
      ...fields,
      'spec.serviceAccountRef.name',
      'spec.serviceAccountRef.namespace',
    ]);
  });

  it('allow a Buildpack in a Builder only', () => {
    const spec = { ...good, order: [{ group: [{ kind: 'Buildpack', name: 'mine' }] }] };
    expect(checkBuilderSpec(spec)).toEqual([]);
    expect(checkClusterBuilderSpec({ ...spec, serviceAccountRef: account })).toEqual([
      { field: 'spec.order[0].group[0].kind', message: expect.stringContaining('has no namespace') as string },
    ]);
  });
});

describe('the example of the README', () => {
  it('says what to do about each field', () => {
    const spec: BuilderSpec = { tag: 'registry.example/team/builder@sha256:12', stack: { name: 'base' } };
    expect(checkBuilderSpec(spec).map(({ field, message }) => `${field} ${message}`)).toEqual([
      'spec.tag "registry.example/team/builder@sha256:12" carries a digest, and an image is written to a tag: leave the digest out',
      'spec.order is empty: a builder without buildpacks builds nothing; list a group',
    ]);
  });
});

describe('builderServiceAccountName', () => {
  it.each([
    [{}, 'default'],
    [{ serviceAccountName: 'new' }, 'new'],
    [{ serviceAccount: 'old' }, 'old'],
    [{ serviceAccountName: '', serviceAccount: 'old' }, 'old'],
    [{ serviceAccountName: 'new', serviceAccount: 'old' }, 'new'],
    [{ serviceAccountName: '', serviceAccount: '' }, 'default'],
  ])('of %j is %s', (spec, name) => {
    expect(builderServiceAccountName(spec)).toBe(name);
  });
});
