import {
  builderAccounts,
  createBuilderDeps,
  clusterBuilderWatches,
  type BuilderControllerDeps,
} from '@buildkeeper/buildpacks';
import { defineController, dependencyOf } from '@buildkeeper/controller-runtime';
import { credentialWatches } from '@buildkeeper/keychain';
import { clusterBuilderResource, type ClusterBuilder, type ClusterBuilderStatus } from '@buildkeeper/kpack-api';
import { findClusterBuilder, reconcileClusterBuilder } from './reconcile.ts';

/** Keeps the images of ClusterBuilders up to date. */
export const clusterBuilderController = defineController<ClusterBuilder, ClusterBuilderStatus, BuilderControllerDeps>({
  name: 'clusterbuilder',
  resource: clusterBuilderResource,
  watches: [...clusterBuilderWatches, ...credentialWatches(accountsOf)],
  createDeps: (env) => createBuilderDeps(env, dependencyOf, 'ClusterBuilder'),
  reconcile: reconcileClusterBuilder,
});

function accountsOf(builder: ClusterBuilder, deps: BuilderControllerDeps) {
  return builderAccounts(findClusterBuilder(builder, deps));
}
