import { describe, expect, it } from 'vitest';
import { builderWatches, clusterBuilderWatches, type DependentBuilder } from './builder-watches.ts';

const builder: DependentBuilder = {
  metadata: { name: 'app', namespace: 'team' },
  spec: {
    stack: { name: 'base' },
    store: { name: 'default' },
    order: [
      {
        group: [
          { kind: 'Buildpack', name: 'own' },
          { kind: 'ClusterBuildpack', name: 'shared' },
        ],
      },
    ],
  },
};
const withId: DependentBuilder = { ...builder, spec: { ...builder.spec, order: [{ group: [{ id: 'sample/any' }] }] } };
const withoutOrder: DependentBuilder = { ...builder, spec: { ...builder.spec, order: [] } };
const withLifecycle: DependentBuilder = { ...builder, spec: { ...builder.spec, lifecycle: { name: 'newest' } } };

describe('builderWatches', () => {
  it.each([
    { kind: 'ClusterStack', changed: { name: 'base' }, candidate: builder, wakes: true },
    { kind: 'ClusterStack', changed: { name: 'other' }, candidate: builder, wakes: false },
    { kind: 'ClusterStore', changed: { name: 'default' }, candidate: builder, wakes: true },
    { kind: 'ClusterStore', changed: { name: 'other' }, candidate: builder, wakes: false },
    { kind: 'ClusterLifecycle', changed: { name: 'default-lifecycle' }, candidate: builder, wakes: true },
    { kind: 'ClusterLifecycle', changed: { name: 'default-lifecycle' }, candidate: withLifecycle, wakes: false },
    { kind: 'ClusterLifecycle', changed: { name: 'newest' }, candidate: withLifecycle, wakes: true },
    { kind: 'ClusterBuildpack', changed: { name: 'shared' }, candidate: builder, wakes: true },
    // A member of what the order names may be offered by any object.
    { kind: 'ClusterBuildpack', changed: { name: 'leaf' }, candidate: builder, wakes: true },
    { kind: 'ClusterBuildpack', changed: { name: 'leaf' }, candidate: withoutOrder, wakes: false },
    { kind: 'ClusterBuildpack', changed: { name: 'whatever' }, candidate: withId, wakes: true },
    { kind: 'Buildpack', changed: { name: 'own', namespace: 'team' }, candidate: builder, wakes: true },
    { kind: 'Buildpack', changed: { name: 'own', namespace: 'other' }, candidate: builder, wakes: false },
    { kind: 'Buildpack', changed: { name: 'any', namespace: 'team' }, candidate: withId, wakes: true },
    { kind: 'Buildpack', changed: { name: 'any', namespace: 'other' }, candidate: withId, wakes: false },
  ])('$kind $changed.name wakes a builder: $wakes', ({ kind, changed, candidate, wakes }) => {
    const watch = builderWatches.find((one) => one.resource.kind === kind);
    expect(watch?.affects({ metadata: changed }, candidate)).toBe(wakes);
  });

  it('do not look at Buildpacks for a ClusterBuilder, which has no namespace', () => {
    expect(clusterBuilderWatches.map((one) => one.resource.kind)).not.toContain('Buildpack');
  });
});
