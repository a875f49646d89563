import { type BuilderSpec } from './builder.ts';
import { type BuildpackSpec } from './buildpack.ts';
import { type ClusterBuilderSpec } from './cluster-builder.ts';
import { type ClusterBuildpackSpec } from './cluster-buildpack.ts';
import { type ClusterLifecycleSpec } from './cluster-lifecycle.ts';
import { type ClusterStackSpec } from './cluster-stack.ts';
import { type ClusterStoreSpec } from './cluster-store.ts';
import { checkImage, checkTag } from './image-reference.ts';
import { type SpecProblem } from './spec-problem.ts';

/** What of the spec can't work, whatever the registries answer; empty when nothing. */
export const checkBuilderSpec = (spec: BuilderSpec): readonly SpecProblem[] => checkTag('spec.tag', spec.tag);
/** What of the spec can't work, whatever the registries answer; empty when nothing. */
export const checkClusterBuilderSpec = (spec: ClusterBuilderSpec): readonly SpecProblem[] =>
  checkTag('spec.tag', spec.tag);
/** What of the spec can't work, whatever the registries answer; empty when nothing. */
export const checkClusterStoreSpec = (spec: ClusterStoreSpec): readonly SpecProblem[] =>
  spec.sources.flatMap(({ image }, index) => checkImage(`spec.sources[${index}].image`, image));
/** What of the spec can't work, whatever the registries answer; empty when nothing. */
export const checkClusterStackSpec = (spec: ClusterStackSpec): readonly SpecProblem[] => [
  ...checkImage('spec.buildImage.image', spec.buildImage.image),
  ...checkImage('spec.runImage.image', spec.runImage.image),
];
/** What of the spec can't work, whatever the registries answer; empty when nothing. */
export const checkClusterLifecycleSpec = (spec: ClusterLifecycleSpec): readonly SpecProblem[] =>
  checkImage('spec.image', spec.image);
/** What of the spec can't work, whatever the registries answer; empty when nothing. */
export const checkBuildpackSpec = (spec: BuildpackSpec): readonly SpecProblem[] => checkImage('spec.image', spec.image);
/** What of the spec can't work, whatever the registries answer; empty when nothing. */
export const checkClusterBuildpackSpec = (spec: ClusterBuildpackSpec): readonly SpecProblem[] =>
  checkImage('spec.image', spec.image);
