import { defineController } from '@buildkeeper/controller-runtime';
import { createRegistryDeps, type RegistryDeps } from '@buildkeeper/buildpacks';
import { credentialWatches } from '@buildkeeper/keychain';
import { clusterStackResource, type ClusterStack, type ClusterStackStatus } from '@buildkeeper/kpack-api';
import { reconcileClusterStack } from './reconcile.ts';

/** Keeps ClusterStacks resolved: which build and run image their references mean now. */
export const clusterStackController = defineController<ClusterStack, ClusterStackStatus, RegistryDeps>({
  name: 'clusterstack',
  resource: clusterStackResource,
  watches: credentialWatches((stack) => [stack.spec.serviceAccountRef]),
  createDeps: createRegistryDeps,
  reconcile: reconcileClusterStack,
});
