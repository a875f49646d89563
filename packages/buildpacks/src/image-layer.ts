import { type RegistryImage } from '@buildkeeper/registry-client';
import { imageInvalid } from './errors.ts';
import { compressionOf, type LayerCompression } from './media-types.ts';

/** A layer of an image in a registry: what its manifest and its config say of it together. */
export interface ImageLayer {
  readonly digest: string;
  readonly diffId: string;
  readonly sizeBytes: number;
  readonly compression: LayerCompression;
  readonly annotations?: Readonly<Record<string, string>>;
}

/**
 * Layers of an image, lowest first. `text` is the reference as the user wrote it. Throws BuildpackError when manifest
 * and config disagree on their number, or a layer is of a sort that can't be copied.
 */
export function imageLayers(text: string, image: RegistryImage): readonly ImageLayer[] {
  const { layers } = image.manifest;
  const diffIds = image.config.rootfs.diff_ids;
  if (layers.length !== diffIds.length) {
    throw imageInvalid(text, `its manifest has ${layers.length} layers and its config ${diffIds.length}`);
  }
  return layers.map((layer, index) => {
    const compression = compressionOf(layer.mediaType);
    if (compression === undefined) throw imageInvalid(text, `a layer has the media type ${layer.mediaType}`);
    return {
      digest: layer.digest,
      diffId: diffIds[index] ?? '',
      sizeBytes: layer.size,
      compression,
      ...(layer.annotations !== undefined && { annotations: layer.annotations }),
    };
  });
}
