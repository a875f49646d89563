import { type BuilderMetadataEntry, type OrderEntry } from '@buildkeeper/kpack-api';
import { parseReference, type Keychain } from '@buildkeeper/registry-client';
import { builderConfig } from './builder-config.ts';
import { builderLabels, builderMetadata } from './builder-labels.ts';
import { candidateName, type Candidate } from './buildpack-source.ts';
import { directoriesLayer, orderLayer, runImageLayer, type BuildUser, type RunImageNames } from './config-layers.ts';
import { sha256 } from './digest.ts';
import { imageInvalid } from './errors.ts';
import { isPlatformMatch, labelledImage, platformText } from './labelled-image.ts';
import { familyOf, mediaTypes, type MediaFamily } from './media-types.ts';
import {
  baseLayersOf,
  buildpackLayer,
  copiedLayer,
  generatedLayer,
  withoutRepeats,
  type PlannedBlob,
  type PlannedLayer,
  type SourceImage,
} from './planned-layers.ts';
import { type ResolvedLifecycle } from './read-lifecycle.ts';
import { compareTexts } from './version.ts';

/** All that a builder image is made of. */
export interface BuilderImageInput {
  readonly base: SourceImage;
  readonly lifecycle: { readonly resolved: ResolvedLifecycle; readonly keychain: Keychain };
  readonly stackId: string;
  readonly user: BuildUser;
  readonly runImage: RunImageNames;
  readonly order: readonly OrderEntry[];
  readonly buildpacks: readonly Candidate[];
  readonly additionalLabels: Readonly<Record<string, string>>;
}

/** A manifest as it will be written. */
export interface PlannedManifest {
  readonly digest: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/** A builder image, not yet in any registry. */
export interface BuilderImagePlan {
  readonly manifest: PlannedManifest;
  /** Layers and config. */
  readonly blobs: readonly PlannedBlob[];
  /** Every buildpack in the image, in the order of their layers. */
  readonly builderMetadata: BuilderMetadataEntry[];
  readonly os: string;
  readonly layerCount: number;
}

/** Container runtimes mount no more. */
const maxLayerCount = 127;

/**
 * Plans a builder image: the base's layers, directories, lifecycle, buildpacks, and the files that tell the lifecycle
 * what is there. Equal inputs give equal bytes. Throws BuildpackError when no image can be made of them.
 */
export function planBuilderImage(input: BuilderImageInput): BuilderImagePlan {
  const { base } = input;
  const family = familyOf(base.image.mediaType);
  if (family === undefined) throw imageInvalid(base.text, `it has the media type ${base.image.mediaType}`);
  checkLifecyclePlatform(input);
  const buildpacks = [...input.buildpacks].sort(compareForLayers);
  const baseLayers = baseLayersOf(base);
  const layers = withoutRepeats([...baseLayers, ...addedLayers(input, buildpacks)], baseLayers.length);
  if (layers.length > maxLayerCount) {
    throw imageInvalid(base.text, `the builder would have ${layers.length} layers; ${maxLayerCount} are possible`);
  }
  const baseLabels = base.image.config.config?.Labels ?? {};
  const labels = builderLabels({ ...input, lifecycle: input.lifecycle.resolved, baseLabels, buildpacks });
  const config = Buffer.from(JSON.stringify(builderConfig(base.image.config, labels, layers.slice(baseLayers.length))));
  const configBlob: PlannedBlob = { kind: 'bytes', bytes: config, digest: sha256(config), sizeBytes: config.length };
  return {
    manifest: manifestOf(family, configBlob, layers, base),
    blobs: [...layers.map((layer) => layer.blob), configBlob],
    builderMetadata: builderMetadata(buildpacks),
    os: base.image.config.os ?? '',
    layerCount: layers.length,
  };
}

/** The biggest buildpacks lowest: they change least, so that nodes and registries keep them longest. */
function compareForLayers(a: Candidate, b: Candidate): number {
  return (b.entry.size ?? 0) - (a.entry.size ?? 0) || compareTexts(candidateName(b), candidateName(a));
}

function addedLayers(input: BuilderImageInput, buildpacks: readonly Candidate[]): readonly PlannedLayer[] {
  const { resolved, keychain } = input.lifecycle;
  const lifecycleRepository = parseReference(resolved.image.latestImage);
  return [
    generatedLayer(directoriesLayer(input.user), 'directories'),
    copiedLayer(resolved.layer, `lifecycle ${resolved.version}`, { repository: lifecycleRepository, keychain }),
    ...buildpacks.map(buildpackLayer),
    generatedLayer(runImageLayer(input.runImage), 'stack.toml and run.toml'),
    generatedLayer(orderLayer(input.order), 'order.toml'),
  ];
}

function manifestOf(
  family: MediaFamily,
  config: PlannedBlob,
  layers: readonly PlannedLayer[],
  base: SourceImage,
): PlannedManifest {
  const types = mediaTypes[family];
  const annotations = family === 'oci' ? base.image.manifest.annotations : undefined;
  const manifest = {
    schemaVersion: 2,
    mediaType: types.manifest,
    config: { mediaType: types.config, size: config.sizeBytes, digest: config.digest },
    layers: layers.map((layer) => layerDescriptor(family, layer, base)),
    ...(annotations !== undefined && { annotations }),
  };
  const bytes = Buffer.from(JSON.stringify(manifest));
  return { digest: sha256(bytes), mediaType: types.manifest, bytes };
}

/** Every layer in the words of the base's family, because an image that mixes the two is refused by some runtimes. */
function layerDescriptor(family: MediaFamily, layer: PlannedLayer, base: SourceImage): object {
  const mediaType = mediaTypes[family].layers[layer.compression];
  if (mediaType === undefined) {
    throw imageInvalid(base.text, `its manifest is of Docker's kind, which has no word for the zstd of: ${layer.what}`);
  }
  const { digest, sizeBytes: size } = layer.blob;
  const annotations = family === 'oci' ? layer.annotations : undefined;
  return { mediaType, size, digest, ...(annotations !== undefined && { annotations }) };
}

function checkLifecyclePlatform({ base, lifecycle: { resolved } }: BuilderImageInput): void {
  const { platform } = labelledImage(base.text, base.image);
  if (isPlatformMatch(resolved.platform, platform)) return;
  const detail = `it is for ${platformText(resolved.platform)}, and build image ${base.text} for ${platformText(platform)}`;
  throw imageInvalid(resolved.image.image, detail);
}
