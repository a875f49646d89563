/** Where the Kubernetes API serves one kind. */
export interface ResourceType {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

/** `apiVersion` of every kind in this package. */
export const kpackApiVersion = 'kpack.io/v1alpha2';

const kpackResource = <const Kind extends string>(kind: Kind, namespaced: boolean) => ({
  group: 'kpack.io',
  version: 'v1alpha2',
  plural: `${kind.toLowerCase()}s`,
  kind,
  namespaced,
});

/** `builders.kpack.io`, namespaced. */
export const builderResource = kpackResource('Builder', true) satisfies ResourceType;
/** `clusterbuilders.kpack.io`, cluster-wide. */
export const clusterBuilderResource = kpackResource('ClusterBuilder', false) satisfies ResourceType;
/** `clusterstores.kpack.io`, cluster-wide. */
export const clusterStoreResource = kpackResource('ClusterStore', false) satisfies ResourceType;
/** `clusterstacks.kpack.io`, cluster-wide. */
export const clusterStackResource = kpackResource('ClusterStack', false) satisfies ResourceType;
/** `clusterlifecycles.kpack.io`, cluster-wide. */
export const clusterLifecycleResource = kpackResource('ClusterLifecycle', false) satisfies ResourceType;
/** `buildpacks.kpack.io`, namespaced. */
export const buildpackResource = kpackResource('Buildpack', true) satisfies ResourceType;
/** `clusterbuildpacks.kpack.io`, cluster-wide. */
export const clusterBuildpackResource = kpackResource('ClusterBuildpack', false) satisfies ResourceType;
