import { readStack, type RegistryDeps } from '@buildkeeper/buildpacks';
import { ready, specInvalid, waitingOn, type Outcome, type ReconcileContext } from '@buildkeeper/controller-runtime';
import { missingAccountMessage } from '@buildkeeper/keychain';
import { checkClusterStackSpec, type ClusterStack, type ClusterStackStatus } from '@buildkeeper/kpack-api';

/** Resolves the build and the run image that `stack.spec` names. Throws RegistryError. */
export async function reconcileClusterStack(
  stack: ClusterStack,
  deps: RegistryDeps,
  { signal }: ReconcileContext,
): Promise<Outcome<ClusterStackStatus>> {
  const problems = checkClusterStackSpec(stack.spec);
  if (problems.length > 0) return specInvalid(problems);

  const account = stack.spec.serviceAccountRef;
  const keychain = await deps.keychains.forReference(account, signal);
  if (keychain === undefined) return waitingOn(missingAccountMessage(account), { pace: 'auth' });

  return ready(await readStack(stack.spec, deps, keychain, signal));
}
