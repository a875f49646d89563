import { reconcileBuilder, type BuilderControllerDeps, type FoundBuilder } from '@buildkeeper/buildpacks';
import { specInvalid, type Outcome, type ReconcileContext } from '@buildkeeper/controller-runtime';
import { checkClusterBuilderSpec, type ClusterBuilder, type ClusterBuilderStatus } from '@buildkeeper/kpack-api';

/** Assembles and pushes the image that `builder.spec` asks for. Throws RegistryError, BuildpackError and KubeError. */
export async function reconcileClusterBuilder(
  builder: ClusterBuilder,
  deps: BuilderControllerDeps,
  { signal }: ReconcileContext,
): Promise<Outcome<ClusterBuilderStatus>> {
  const problems = checkClusterBuilderSpec(builder.spec);
  if (problems.length > 0) return specInvalid(problems);
  return reconcileBuilder(findClusterBuilder(builder, deps), deps, signal);
}

/** All that a ClusterBuilder refers to: its account may be one of any namespace. */
export function findClusterBuilder(
  { metadata, spec, status }: ClusterBuilder,
  deps: BuilderControllerDeps,
): FoundBuilder {
  const { namespace, name } = spec.serviceAccountRef;
  return deps.find({
    builder: { kind: 'ClusterBuilder', name: metadata.name },
    account: { namespace, name },
    spec,
    status,
  });
}
