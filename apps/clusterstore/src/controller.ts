import { createRegistryDeps, type RegistryDeps } from '@buildkeeper/buildpacks';
import { defineController } from '@buildkeeper/controller-runtime';
import { credentialWatches } from '@buildkeeper/keychain';
import { clusterStoreResource, type ClusterStore, type ClusterStoreStatus } from '@buildkeeper/kpack-api';
import { reconcileClusterStore } from './reconcile.ts';

/** Keeps ClusterStores resolved: which buildpacks their images hold now. */
export const clusterStoreController = defineController<ClusterStore, ClusterStoreStatus, RegistryDeps>({
  name: 'clusterstore',
  resource: clusterStoreResource,
  watches: credentialWatches((store) => [store.spec.serviceAccountRef]),
  createDeps: createRegistryDeps,
  reconcile: reconcileClusterStore,
});
