import { type OrderEntry } from '@buildkeeper/kpack-api';
import { parseReference } from '@buildkeeper/registry-client';
import { builderLayoutVersion } from './builder-labels.ts';
import { type Candidate } from './buildpack-source.ts';
import { sha256 } from './digest.ts';
import { type ResolvedLifecycle } from './read-lifecycle.ts';
import { type ResolvedStack } from './read-stack.ts';

/** Everything that a builder image is made of, and everything it is checked against, as statuses know it. */
export interface DigestedInputs {
  /** Where it is written, with the tag: the name stands in the image. */
  readonly tag: string;
  readonly stack: ResolvedStack;
  readonly lifecycle: ResolvedLifecycle;
  readonly order: readonly OrderEntry[];
  readonly buildpacks: readonly Candidate[];
  readonly additionalLabels: Readonly<Record<string, string>>;
}

/**
 * Digest of all inputs of a builder image. Equal digests mean equal images, as long as the layout version is in it; it
 * needs no registry, and it is the same after a restart. Where a layer is copied from makes no difference.
 */
export function inputsDigest(inputs: DigestedInputs): string {
  const { tag, stack, lifecycle, order, buildpacks, additionalLabels } = inputs;
  const { buildImage, runImage, ...stackRest } = stack;
  const { image, ...lifecycleRest } = lifecycle;
  const content = {
    layoutVersion: builderLayoutVersion,
    tag,
    stack: { ...stackRest, buildImage: digestIn(buildImage.latestImage), runImage: digestIn(runImage.latestImage) },
    lifecycle: { ...lifecycleRest, image: digestIn(image.latestImage) },
    order,
    buildpacks: buildpacks.map(({ entry }) => ({ ...entry, storeImage: undefined, buildpackage: undefined })),
    additionalLabels,
  };
  return sha256(JSON.stringify(content, withSortedKeys));
}

function digestIn(latestImage = ''): string {
  return parseReference(latestImage).digest ?? latestImage;
}

/** The same content must have the same text, in whatever sequence the API server returns its keys. */
function withSortedKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
