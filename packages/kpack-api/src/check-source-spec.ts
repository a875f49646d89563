import { checkServiceAccountRef, type StoredServiceAccountRef } from './check-service-account.ts';
import { checkImage } from './image-reference.ts';
import { type SpecProblem } from './spec-problem.ts';

interface StoredImage {
  readonly image?: string;
}

/** What the spec of a cluster-wide kind may hold beside its images. */
interface StoredAccount {
  readonly serviceAccountRef?: StoredServiceAccountRef;
}

const checkAccount = ({ serviceAccountRef }: StoredAccount): readonly SpecProblem[] =>
  serviceAccountRef === undefined ? [] : checkServiceAccountRef(serviceAccountRef);

/** What of a ClusterStore's spec can't work, whatever the registries answer; empty when it may. */
export const checkClusterStoreSpec = (
  spec: StoredAccount & { readonly sources?: readonly StoredImage[] },
): readonly SpecProblem[] => {
  const sources = spec.sources ?? [];
  if (sources.length > 0) {
    const problems = sources.flatMap(({ image }, index) => checkImage(`spec.sources[${index}].image`, image));
    return [...problems, ...checkAccount(spec)];
  }
  return [{ field: 'spec.sources', message: 'is empty: list an image that holds buildpacks' }, ...checkAccount(spec)];
};

/** What of a ClusterStack's spec can't work, whatever the registries answer; empty when it may. */
export const checkClusterStackSpec = (
  spec: StoredAccount & { readonly id?: string; readonly buildImage?: StoredImage; readonly runImage?: StoredImage },
): readonly SpecProblem[] => [
  ...((spec.id ?? '') === '' ? [{ field: 'spec.id', message: 'is missing: give the id of the stack' }] : []),
  ...checkImage('spec.buildImage.image', spec.buildImage?.image),
  ...checkImage('spec.runImage.image', spec.runImage?.image),
  ...checkAccount(spec),
];

/** What of a ClusterLifecycle's spec can't work, whatever the registries answer; empty when it may. */
export const checkClusterLifecycleSpec = (spec: StoredAccount & StoredImage): readonly SpecProblem[] => [
  ...checkImage('spec.image', spec.image),
  ...checkAccount(spec),
];

/** What of a Buildpack's spec can't work, whatever the registries answer; empty when it may. */
export const checkBuildpackSpec = (spec: StoredImage): readonly SpecProblem[] => checkImage('spec.image', spec.image);

/** What of a ClusterBuildpack's spec can't work, whatever the registries answer; empty when it may. */
export const checkClusterBuildpackSpec = (spec: StoredAccount & StoredImage): readonly SpecProblem[] => [
  ...checkImage('spec.image', spec.image),
  ...checkAccount(spec),
];
