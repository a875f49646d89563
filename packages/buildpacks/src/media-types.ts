/** The two vocabularies for the parts of an image. Some registries and runtimes refuse an image that mixes them. */
export type MediaFamily = 'docker' | 'oci';

/** How a layer is stored. */
export type LayerCompression = 'gzip' | 'none' | 'zstd';

interface FamilyTypes {
  readonly manifest: string;
  readonly config: string;
  readonly layers: Readonly<Record<LayerCompression, string | undefined>>;
}

/**
 * Media types of each family. Docker's never got an official type for zstd.
 *
 * @see https://github.com/opencontainers/image-spec/blob/main/media-types.md
 * @see https://distribution.github.io/distribution/spec/manifest-v2-2/
 */
export const mediaTypes: Readonly<Record<MediaFamily, FamilyTypes>> = {
  docker: {
    manifest: 'application/vnd.docker.distribution.manifest.v2+json',
    config: 'application/vnd.docker.container.image.v1+json',
    layers: {
      gzip: 'application/vnd.docker.image.rootfs.diff.tar.gzip',
      none: 'application/vnd.docker.image.rootfs.diff.tar',
      zstd: undefined,
    },
  },
  oci: {
    manifest: 'application/vnd.oci.image.manifest.v1+json',
    config: 'application/vnd.oci.image.config.v1+json',
    layers: {
      gzip: 'application/vnd.oci.image.layer.v1.tar+gzip',
      none: 'application/vnd.oci.image.layer.v1.tar',
      zstd: 'application/vnd.oci.image.layer.v1.tar+zstd',
    },
  },
};

/** Family of a manifest's media type; undefined for an index and for anything unknown. */
export function familyOf(manifestType: string): MediaFamily | undefined {
  return (['docker', 'oci'] as const).find((family) => mediaTypes[family].manifest === manifestType);
}

/** How a layer of this media type is stored; undefined for layers that can't be part of a copy, such as foreign ones. */
export function compressionOf(layerType: string): LayerCompression | undefined {
  const types = [mediaTypes.docker.layers, mediaTypes.oci.layers];
  return (['gzip', 'none', 'zstd'] as const).find((one) => types.some((layers) => layers[one] === layerType));
}
