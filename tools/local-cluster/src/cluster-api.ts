import {
  clusterBuilderResource,
  builderResource,
  clusterLifecycleResource,
  clusterStackResource,
  clusterStoreResource,
} from '@buildkeeper/kpack-api';
import {
  createKubeClient,
  KubeError,
  loadKubeTarget,
  type KubeClient,
  type KubeObject,
  type ResourceType,
} from '@buildkeeper/kube-client';
import { createSystemClock, createSystemRandom } from '@buildkeeper/retry-policy';
import { stateOf, type ObjectState, type WatchedObject } from './object-state.ts';
import type { SampleObject } from './samples.ts';

/** What the story does to the cluster and sees of it. */
export interface ClusterApi {
  /** The states of all stores, stacks, Builders and ClusterBuilders. */
  look(): Promise<readonly ObjectState[]>;
  /** Creates an object, or sets its spec when it is there already. */
  apply(object: KubeObject | SampleObject, resource?: ResourceType): Promise<void>;
  /** Sets the annotation that asks a controller to look at the object at once. */
  requestReconcile(kind: string, name: string, namespace?: string): Promise<void>;
  close(): Promise<void>;
}

/** The kinds that have a controller, in the order of the table. */
const shownResources = [clusterStoreResource, clusterStackResource, builderResource, clusterBuilderResource];
const resources = [...shownResources, clusterLifecycleResource];

/** CustomResourceDefinitions, which `--install-crds` writes. */
export const crdResource: ResourceType = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
};

/** The cluster that a kubeconfig file names. */
export function openCluster(kubeconfig: string, context: string | undefined): ClusterApi {
  const target = loadKubeTarget({ kubeconfig, ...(context === undefined ? {} : { context }), env: {} });
  const client = createKubeClient({ target, clock: createSystemClock(), random: createSystemRandom() });
  return {
    look: () => look(client),
    apply: (object, resource = resourceOf(object.kind ?? '')) => apply(client, resource, object as KubeObject),
    async requestReconcile(kind, name, namespace) {
      const annotations = { 'buildkeeper.io/reconcile-requested-at': new Date(Date.now()).toISOString() };
      const key = namespace === undefined ? { name } : { name, namespace };
      await client.patch(resourceOf(kind), key, { metadata: { annotations } }, AbortSignal.timeout(10_000));
    },
    close: () => client.close(),
  };
}

async function look(client: KubeClient): Promise<readonly ObjectState[]> {
  const signal = AbortSignal.timeout(10_000);
  const lists = await Promise.all(
    shownResources.map(async (resource) => {
      const { items } = await client.listPage(resource, { limit: 500 }, signal);
      return items.map((item) => stateOf({ ...item, kind: resource.kind } as unknown as WatchedObject));
    }),
  );
  return lists.flat();
}

async function apply(client: KubeClient, resource: ResourceType, object: KubeObject): Promise<void> {
  const signal = AbortSignal.timeout(10_000);
  try {
    await client.create(resource, object, signal);
  } catch (error) {
    if (!(error instanceof KubeError) || error.httpStatus !== 409) throw error;
    await client.patch(resource, object.metadata, { spec: object.spec }, signal);
  }
}

function resourceOf(kind: string): ResourceType {
  const resource = resources.find((one) => one.kind === kind);
  if (resource === undefined) throw new Error(`There is no sample of kind ${kind}`);
  return resource;
}
