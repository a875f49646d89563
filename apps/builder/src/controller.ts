import {
  builderAccounts,
  createBuilderDeps,
  builderWatches,
  type BuilderControllerDeps,
} from '@buildkeeper/buildpacks';
import { defineController, dependencyOf } from '@buildkeeper/controller-runtime';
import { credentialWatches } from '@buildkeeper/keychain';
import { builderResource, type Builder, type BuilderStatus } from '@buildkeeper/kpack-api';
import { findBuilder, reconcileBuilder } from './reconcile.ts';

/** Keeps the images of Builders up to date. */
export const builderController = defineController<Builder, BuilderStatus, BuilderControllerDeps>({
  name: 'builder',
  resource: builderResource,
  watches: [...builderWatches, ...credentialWatches(accountsOf)],
  createDeps: (env) => createBuilderDeps(env, dependencyOf, 'Builder'),
  reconcile: reconcileBuilder,
});

function accountsOf(builder: Builder, deps: BuilderControllerDeps) {
  return builderAccounts(findBuilder(builder, deps));
}
