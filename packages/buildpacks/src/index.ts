export { buildBuilder, type BuilderDeps, type BuilderInput } from './build-builder.ts';
export { builderLayoutVersion } from './builder-labels.ts';
export { builderTag, type BuilderName, type BuilderTag } from './builder-tag.ts';
export { type BuildpackSource, sourceKinds } from './buildpack-source.ts';
export { BuildpackError } from './errors.ts';
export { labelNames } from './labels.ts';
export { createLifecycleReader } from './lifecycle-reader.ts';
export { readLifecycle, type ResolvedLifecycle } from './read-lifecycle.ts';
export { readStack, resolvedStackOf, type ReaderDeps, type ResolvedStack } from './read-stack.ts';
export { readStore, storeFailure, type SourceFailure, type StoreContents } from './read-store.ts';
export { createSharedReader, type SharedReader, type SharedReaderOptions } from './shared-reader.ts';
export {
  reconcileBuilder,
  type BuilderOutcome,
  type FoundBuilder,
  type FoundDependency,
  type ReconcileBuilderDeps,
} from './reconcile-builder.ts';
export { createRegistryDeps, type RegistryDeps, type RegistryEnv } from './registry-deps.ts';
export {
  builderAccounts,
  createBuilderDeps,
  type BuilderControllerDeps,
  type BuilderEnv,
  type BuilderToFind,
  type DependencyJudge,
  type Lister,
} from './builder-deps.ts';
export { builderWatches, clusterBuilderWatches, type BuilderWatch, type DependentBuilder } from './builder-watches.ts';
export { type BuilderResult } from './unchanged-builder.ts';
