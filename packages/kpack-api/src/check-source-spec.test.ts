import { describe, expect, it } from 'vitest';
import {
  checkBuildpackSpec,
  checkClusterBuildpackSpec,
  checkClusterLifecycleSpec,
  checkClusterStackSpec,
  checkClusterStoreSpec,
} from './check-source-spec.ts';
import { type SpecProblem } from './spec-problem.ts';

const fieldsOf = (problems: readonly SpecProblem[]) => problems.map(({ field }) => field);
const image = 'registry.example/team/image:1';

describe('the checks of specs that name images', () => {
  it('report every bad source of a store at once, with its place', () => {
    const sources = [{ image }, { image: 'Team/image' }, { image }, {}];
    expect(checkClusterStoreSpec({ sources, serviceAccountRef: { name: 'reader' } })).toEqual([
      { field: 'spec.sources[1].image', message: expect.stringContaining('"Team/image" is not an image') as string },
      { field: 'spec.sources[3].image', message: 'is missing: name an image' },
      { field: 'spec.serviceAccountRef.namespace', message: expect.stringContaining('give the namespace') as string },
    ]);
  });

  it.each([
    ['ClusterStore', checkClusterStoreSpec({}), ['spec.sources']],
    ['ClusterStack', checkClusterStackSpec({}), ['spec.id', 'spec.buildImage.image', 'spec.runImage.image']],
    ['ClusterLifecycle', checkClusterLifecycleSpec({}), ['spec.image']],
    ['Buildpack', checkBuildpackSpec({}), ['spec.image']],
    ['ClusterBuildpack', checkClusterBuildpackSpec({}), ['spec.image']],
  ])('name all that an empty %s needs', (_, problems, fields) => {
    expect(fieldsOf(problems)).toEqual(fields);
  });

  it.each([
    ['ClusterStore', checkClusterStoreSpec({ sources: [{ image }], serviceAccountRef: {} })],
    [
      'ClusterStack',
      checkClusterStackSpec({ id: 'a', buildImage: { image }, runImage: { image }, serviceAccountRef: {} }),
    ],
    ['ClusterLifecycle', checkClusterLifecycleSpec({ image, serviceAccountRef: {} })],
    ['ClusterBuildpack', checkClusterBuildpackSpec({ image, serviceAccountRef: {} })],
  ])('refuse a ServiceAccount of a %s that names nothing', (_, problems) => {
    expect(fieldsOf(problems)).toEqual(['spec.serviceAccountRef.name', 'spec.serviceAccountRef.namespace']);
  });
});
