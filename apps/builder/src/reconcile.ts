import {
  reconcileBuilder as reconcileFound,
  type BuilderControllerDeps,
  type FoundBuilder,
} from '@buildkeeper/buildpacks';
import { specInvalid, type Outcome, type ReconcileContext } from '@buildkeeper/controller-runtime';
import { builderServiceAccountName, checkBuilderSpec, type Builder, type BuilderStatus } from '@buildkeeper/kpack-api';

/** Assembles and pushes the image that `builder.spec` asks for. Throws RegistryError, BuildpackError and KubeError. */
export async function reconcileBuilder(
  builder: Builder,
  deps: BuilderControllerDeps,
  { signal }: ReconcileContext,
): Promise<Outcome<BuilderStatus>> {
  const problems = checkBuilderSpec(builder.spec);
  if (problems.length > 0) return specInvalid(problems);
  return reconcileFound(findBuilder(builder, deps), deps, signal);
}

/** All that a Builder refers to: its account is one of its own namespace. */
export function findBuilder({ metadata, spec, status }: Builder, deps: BuilderControllerDeps): FoundBuilder {
  const { name, namespace = '' } = metadata;
  return deps.find({
    builder: { kind: 'Builder', namespace, name },
    account: { namespace, name: builderServiceAccountName(spec) },
    spec,
    status,
  });
}
