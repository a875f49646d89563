/** References of the images that the sample resources name. */
export interface SampleReferences {
  readonly stackId: string;
  readonly buildImage: string;
  readonly runImage: string;
  readonly lifecycle: string;
  readonly buildpackages: readonly string[];
}

/** A Kubernetes object as it is sent to the API server. */
export interface SampleObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec: Readonly<Record<string, unknown>>;
}

const apiVersion = 'kpack.io/v1alpha2';
const order = [{ group: [{ id: 'sample/hello-universe' }] }];

/**
 * The sample resources: a store, a stack, a lifecycle, a Builder and a ClusterBuilder.
 *
 * @param registry `host:port` that the builders push to
 * @param serviceAccountRef whose credentials the store, the stack and the lifecycle are read with; without any if absent
 */
export function sampleObjects(
  images: SampleReferences,
  registry: string,
  serviceAccountRef?: { readonly name: string; readonly namespace: string },
): readonly SampleObject[] {
  const account = serviceAccountRef === undefined ? {} : { serviceAccountRef };
  return [
    {
      apiVersion,
      kind: 'ClusterLifecycle',
      metadata: { name: 'default-lifecycle' },
      spec: { image: images.lifecycle, ...account },
    },
    {
      apiVersion,
      kind: 'ClusterStore',
      metadata: { name: 'sample-store' },
      spec: { sources: images.buildpackages.map((image) => ({ image })), ...account },
    },
    {
      apiVersion,
      kind: 'ClusterStack',
      metadata: { name: 'sample-stack' },
      spec: {
        id: images.stackId,
        buildImage: { image: images.buildImage },
        runImage: { image: images.runImage },
        ...account,
      },
    },
    sampleBuilder('sample-builder', registry),
    sampleClusterBuilder('sample-clusterbuilder', registry),
  ];
}

/** A Builder over the sample store and stack, pushed under its own name. */
export function sampleBuilder(name: string, registry: string, namespace = 'default'): SampleObject {
  return {
    apiVersion,
    kind: 'Builder',
    metadata: { name, namespace },
    spec: { tag: `${registry}/builders/${name}:1`, ...builderInputs, serviceAccountName: 'default' },
  };
}

/** A ClusterBuilder over the sample store and stack, pushed under its own name. */
export function sampleClusterBuilder(name: string, registry: string): SampleObject {
  return {
    apiVersion,
    kind: 'ClusterBuilder',
    metadata: { name },
    spec: {
      tag: `${registry}/builders/${name}:1`,
      ...builderInputs,
      serviceAccountRef: { name: 'default', namespace: 'default' },
    },
  };
}

const builderInputs = {
  stack: { kind: 'ClusterStack', name: 'sample-stack' },
  store: { kind: 'ClusterStore', name: 'sample-store' },
  order,
};
