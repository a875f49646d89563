import { type ClusterLifecycleSpec, type LifecycleApis, type ResolvedImage } from '@buildkeeper/kpack-api';
import { formatReference, parseReference, type Keychain } from '@buildkeeper/registry-client';
import { compareApiVersions } from './api-version.ts';
import { type ImageLayer } from './image-layer.ts';
import { labelledImage, type ImagePlatform } from './labelled-image.ts';
import { lifecycleApisOf, lifecycleOf } from './labels.ts';
import { findLifecycleLayer } from './lifecycle-layer.ts';
import { type ReaderDeps } from './read-stack.ts';

/** A lifecycle image that was read: all that a builder needs of it, so that it need not be read again. */
export interface ResolvedLifecycle {
  readonly image: Required<ResolvedImage>;
  readonly version: string;
  readonly api: { readonly buildpack?: string; readonly platform?: string };
  /** Sorted by number; an empty list is null, as kpack stores it. */
  readonly apis: Required<LifecycleApis>;
  readonly platform: ImagePlatform;
  /** The layer with `/cnb/lifecycle`. */
  readonly layer: ImageLayer;
}

/**
 * Reads a lifecycle image. Throws RegistryError and BuildpackError.
 *
 * @param previous an earlier result for the same image text: when the digest is still the same, the content of its
 * layer isn't looked at again
 */
export async function readLifecycle(
  spec: Pick<ClusterLifecycleSpec, 'image'>,
  deps: ReaderDeps,
  keychain: Keychain,
  signal: AbortSignal,
  previous?: ResolvedLifecycle,
): Promise<ResolvedLifecycle> {
  const image = await deps.registry.readImage(parseReference(spec.image), keychain, { signal });
  const latestImage = formatReference({ ...image.repository, digest: image.digest });
  if (previous?.image.latestImage === latestImage && previous.image.image === spec.image) return previous;
  const labelled = labelledImage(spec.image, image);
  const lifecycle = lifecycleOf(labelled);
  const apis = lifecycleApisOf(labelled);
  return {
    image: { latestImage, image: spec.image },
    version: lifecycle.version,
    api: lifecycle.api,
    apis: { buildpack: sortedVersions(apis.buildpack), platform: sortedVersions(apis.platform) },
    platform: labelled.platform,
    layer: await findLifecycleLayer(spec.image, image, { ...deps, keychain }, signal),
  };
}

type Versions = Required<LifecycleApis>['buildpack'];

/** Readers of builders intersect these lists as sorted ones, and `0.10` comes after `0.9`. */
function sortedVersions(versions: Versions): Required<Versions> {
  const sorted = (list: readonly string[] | null | undefined) =>
    list === null || list === undefined || list.length === 0 ? null : [...list].sort(compareApiVersions);
  return { deprecated: sorted(versions.deprecated), supported: sorted(versions.supported) };
}
