import { type Keychain, type RegistryClient } from '@buildkeeper/registry-client';
import { type BuilderTag } from './builder-tag.ts';
import { shortDigest } from './digest.ts';
import { forEachBounded } from './for-each-bounded.ts';
import { type BuilderImagePlan, type PlannedManifest } from './plan-builder-image.ts';
import { type PlannedBlob, type SourceImage } from './planned-layers.ts';

/** What is to be in the builder's repository. */
export interface Publication {
  readonly target: BuilderTag;
  readonly plan: BuilderImagePlan;
  /** The run image, copied beside the builder so that both are pulled with the same rights. */
  readonly runImage: SourceImage;
  /** Opens the builder's repository for writing. */
  readonly keychain: Keychain;
}

/** Blobs of one builder under way at the same time. */
const maxBlobsAtOnce = 5;

/**
 * Brings a planned builder and its run image into the registry. Every step may be repeated, and a repetition sends
 * nothing that is there; the builder's tag moves last, so that it never points at something unfinished. Throws
 * RegistryError.
 */
export async function publishBuilder(
  publication: Publication,
  deps: { readonly registry: RegistryClient },
  signal: AbortSignal,
): Promise<void> {
  const { target, plan, runImage, keychain } = publication;
  const { repository } = target;
  const ensure = async ({ digest, sizeBytes, ...source }: PlannedBlob) => {
    await deps.registry.ensureBlob({ repository, digest, sizeBytes }, source, keychain, signal);
  };
  const [first, ...rest] = withoutRepeats([...runImageBlobs(runImage), ...plan.blobs]);
  // The first goes alone: a registry that is down is asked by one request and its repetitions, not by five.
  if (first !== undefined) await ensure(first);
  await forEachBounded(rest, maxBlobsAtOnce, ensure);
  const put = async (manifest: PlannedManifest, tag: string) => {
    // The tag by digest never moves: registries delete what has no tag once the other one has moved on.
    for (const name of [`build-${shortDigest(manifest.digest)}`, tag]) {
      await deps.registry.putManifest(repository, name, manifest, keychain, signal);
    }
  };
  await put(runImageManifest(runImage), target.runImageTag);
  await put(plan.manifest, target.tag);
}

function runImageManifest({ image }: SourceImage): PlannedManifest {
  return { digest: image.digest, mediaType: image.mediaType, bytes: image.manifestBytes };
}

function runImageBlobs({ image, keychain }: SourceImage): readonly PlannedBlob[] {
  const { manifest, repository } = image;
  return [...manifest.layers, manifest.config].map(({ digest, size }) => ({
    kind: 'blob',
    digest,
    sizeBytes: size,
    repository,
    keychain,
  }));
}

function withoutRepeats(blobs: readonly PlannedBlob[]): readonly PlannedBlob[] {
  return [...new Map(blobs.map((blob) => [blob.digest, blob])).values()];
}
