import { parseReference, type Keychain, type RegistryImage, type Repository } from '@buildkeeper/registry-client';
import { candidateName, sourceImageOf, type Candidate } from './buildpack-source.ts';
import { imageInvalid } from './errors.ts';
import { type GeneratedLayer } from './generated-layer.ts';
import { imageLayers, type ImageLayer } from './image-layer.ts';
import { type LayerCompression } from './media-types.ts';

/** An image that was read, with what it is called and what opens its repository. */
export interface SourceImage {
  /** The reference as the user wrote it, for messages. */
  readonly text: string;
  readonly image: RegistryImage;
  readonly keychain: Keychain;
}

/** A blob that the builder's repository must have before its manifest is written. */
export type PlannedBlob = {
  readonly digest: string;
  readonly sizeBytes: number;
} & (
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'blob'; readonly repository: Repository; readonly keychain: Keychain }
);

/** One layer of a planned image. */
export interface PlannedLayer {
  readonly diffId: string;
  /** What it holds, for the history. */
  readonly what: string;
  readonly compression: LayerCompression;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly blob: PlannedBlob;
}

/** The layers of the base, as they are. Throws BuildpackError. */
export function baseLayersOf({ text, image, keychain }: SourceImage): readonly PlannedLayer[] {
  return imageLayers(text, image).map((layer) =>
    copiedLayer(layer, 'base', { repository: image.repository, keychain }),
  );
}

/** A layer that is made here; `what` it holds is for the history. */
export function generatedLayer({ diffId, digest, bytes }: GeneratedLayer, what: string): PlannedLayer {
  return { diffId, what, compression: 'gzip', blob: { kind: 'bytes', bytes, digest, sizeBytes: bytes.length } };
}

/** A layer that another repository holds. */
export function copiedLayer(
  layer: ImageLayer,
  what: string,
  source: { readonly repository: Repository; readonly keychain: Keychain },
): PlannedLayer {
  const { digest, sizeBytes, ...described } = layer;
  const { registry, repository } = source.repository;
  const from = { repository: { registry, repository }, keychain: source.keychain };
  return { ...described, what, blob: { kind: 'blob', digest, sizeBytes, ...from } };
}

/** The layer of a buildpack, as the status of its source describes it. Throws BuildpackError. */
export function buildpackLayer(buildpack: Candidate): PlannedLayer {
  const { diffId, digest, size } = buildpack.entry;
  const image = sourceImageOf(buildpack);
  if (diffId === undefined || digest === undefined || size === undefined) {
    throw imageInvalid(
      image,
      `the status of ${buildpack.source.kind} ${buildpack.source.name} says nothing of a layer`,
    );
  }
  // An uncompressed layer is its own content; the status of a store has no other sign of it.
  const compression = digest === diffId ? 'none' : 'gzip';
  const source = { repository: parseReference(image), keychain: buildpack.source.keychain };
  return copiedLayer({ digest, diffId, sizeBytes: size, compression }, `buildpack ${candidateName(buildpack)}`, source);
}

/** Several buildpacks may share one layer, and the base may have it already. The base itself stays as it is. */
export function withoutRepeats(layers: readonly PlannedLayer[], baseCount: number): readonly PlannedLayer[] {
  const seen = new Set<string>();
  return layers.filter((layer, index) => {
    const isNew = !seen.has(layer.diffId);
    seen.add(layer.diffId);
    return isNew || index < baseCount;
  });
}
