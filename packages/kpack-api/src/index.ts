export { type Builder, type BuilderSpec, type BuilderStatus } from './builder.ts';
export { type BuilderMetadataEntry } from './builder-status.ts';
export { type BuildpackEntry, type BuildpackStack, type BuildpackTarget } from './buildpack-entry.ts';
export { type Buildpack, type BuildpackSpec, type BuildpackStatus } from './buildpack.ts';
export { checkBuilderSpec, checkClusterBuilderSpec } from './check-builder-spec.ts';
export { builderServiceAccountName } from './check-service-account.ts';
export {
  checkBuildpackSpec,
  checkClusterBuildpackSpec,
  checkClusterLifecycleSpec,
  checkClusterStackSpec,
  checkClusterStoreSpec,
} from './check-source-spec.ts';
export { type ClusterBuilder, type ClusterBuilderSpec, type ClusterBuilderStatus } from './cluster-builder.ts';
export { type ClusterBuildpack, type ClusterBuildpackSpec, type ClusterBuildpackStatus } from './cluster-buildpack.ts';
export { type ClusterLifecycle, type ClusterLifecycleSpec, type ClusterLifecycleStatus } from './cluster-lifecycle.ts';
export { type ClusterStack, type ClusterStackSpec, type ClusterStackStatus } from './cluster-stack.ts';
export { type ClusterStore, type ClusterStoreSpec, type ClusterStoreStatus } from './cluster-store.ts';
export { type CrdManifest, type CrdVersion, type PrinterColumn } from './crd-manifest.ts';
export { crdManifests } from './crd-manifests.ts';
export { generateCrds } from './crd-yaml.ts';
export { type CustomObject, type ObjectMeta } from './custom-object.ts';
export { type ResolvedImage } from './images.ts';
export { type LifecycleApis } from './lifecycle-apis.ts';
export { type ServiceAccountRef } from './object-reference.ts';
export { type BuilderOrderEntry, type BuilderOrderRef, type OrderEntry, type OrderGroupEntry } from './order.ts';
export {
  builderResource,
  buildpackResource,
  clusterBuilderResource,
  clusterBuildpackResource,
  clusterLifecycleResource,
  clusterStackResource,
  clusterStoreResource,
  kpackApiVersion,
  type ResourceType,
} from './resources.ts';
export { type SpecProblem } from './spec-problem.ts';
export { type Condition, type RetryStatus } from './status-common.ts';
export { type StructuralSchema } from './structural-schema.ts';
