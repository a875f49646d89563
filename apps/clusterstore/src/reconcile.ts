import { readStore, storeFailure, type RegistryDeps } from '@buildkeeper/buildpacks';
import {
  failed,
  ready,
  specInvalid,
  waitingOn,
  type Outcome,
  type ReconcileContext,
} from '@buildkeeper/controller-runtime';
import { missingAccountMessage } from '@buildkeeper/keychain';
import { checkClusterStoreSpec, type ClusterStore, type ClusterStoreStatus } from '@buildkeeper/kpack-api';

/**
 * Lists the buildpacks of every source that `store.spec` names. A source that cannot be read keeps its last data
 * and makes the whole outcome a failure, while what the others hold is published.
 */
export async function reconcileClusterStore(
  store: ClusterStore,
  deps: RegistryDeps,
  { signal }: ReconcileContext,
): Promise<Outcome<ClusterStoreStatus>> {
  const problems = checkClusterStoreSpec(store.spec);
  if (problems.length > 0) return specInvalid(problems);

  const account = store.spec.serviceAccountRef;
  const keychain = await deps.keychains.forReference(account, signal);
  if (keychain === undefined) return waitingOn(missingAccountMessage(account), { pace: 'auth' });

  const previous = store.status?.buildpacks ?? [];
  const contents = await readStore(store.spec.sources, previous, deps, keychain, signal);
  const status = { buildpacks: contents.buildpacks };
  const failure = storeFailure(contents.failures);
  return failure === undefined ? ready(status) : failed(failure, { status, isUsable: contents.isComplete });
}
