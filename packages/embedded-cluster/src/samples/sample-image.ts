import { gzipSync } from 'node:zlib';
import { sha256Digest, type StoredManifest } from '../registry/registry-store.ts';

/** Whose media types a manifest uses. */
export type ImageFamily = 'docker' | 'oci';

/** What an image is made of, before anything is compressed or hashed. Plain data: change a copy to make an odd image. */
export interface SampleImage {
  readonly family: ImageFamily;
  readonly architecture: string;
  readonly os: string;
  /** The `config` part of the image config, with the names it has on the wire. */
  readonly config: {
    readonly Env?: readonly string[];
    readonly User?: string;
    readonly WorkingDir?: string;
    readonly Labels: Readonly<Record<string, string>>;
  };
  /** Uncompressed tar archives, lowest first. */
  readonly layers: readonly Uint8Array[];
}

/** Several images under one name, each for its platform. */
export interface SampleIndex {
  readonly family: ImageFamily;
  readonly images: readonly SampleImage[];
}

/** An image or index as bytes, ready to be pushed. */
export interface EncodedImage {
  readonly digest: string;
  readonly manifest: StoredManifest;
  /** Layers and config. */
  readonly blobs: readonly Uint8Array[];
  /** Images that the manifest points at. */
  readonly children: readonly EncodedImage[];
}

/** Media types of the two families. */
export const mediaTypes = {
  docker: {
    manifest: 'application/vnd.docker.distribution.manifest.v2+json',
    index: 'application/vnd.docker.distribution.manifest.list.v2+json',
    config: 'application/vnd.docker.container.image.v1+json',
    layer: 'application/vnd.docker.image.rootfs.diff.tar.gzip',
  },
  oci: {
    manifest: 'application/vnd.oci.image.manifest.v1+json',
    index: 'application/vnd.oci.image.index.v1+json',
    config: 'application/vnd.oci.image.config.v1+json',
    layer: 'application/vnd.oci.image.layer.v1.tar+gzip',
  },
} as const;

const created = '1980-01-01T00:00:01Z';

/** Compresses, hashes and describes an image or index. The same input gives the same bytes with the same zlib. */
export function encodeImage(image: SampleImage | SampleIndex): EncodedImage {
  return 'images' in image ? encodeIndex(image) : encodeSingle(image);
}

function encodeSingle(image: SampleImage): EncodedImage {
  const types = mediaTypes[image.family];
  const layers = image.layers.map((tar) => gzipSync(tar));
  const config = json({
    architecture: image.architecture,
    config: image.config,
    created,
    history: layers.map(() => ({ created, created_by: 'buildkeeper samples' })),
    os: image.os,
    rootfs: { type: 'layers', diff_ids: image.layers.map(sha256Digest) },
  });
  const bytes = json({
    schemaVersion: 2,
    mediaType: types.manifest,
    config: descriptor(types.config, config),
    layers: layers.map((layer) => descriptor(types.layer, layer)),
  });
  return encoded({ bytes, mediaType: types.manifest }, [...layers, config], []);
}

function encodeIndex({ family, images }: SampleIndex): EncodedImage {
  const mediaType = mediaTypes[family].index;
  const children = images.map(encodeSingle);
  const manifests = children.map(({ manifest }, index) => ({
    ...descriptor(manifest.mediaType, manifest.bytes),
    platform: { architecture: images[index]?.architecture, os: images[index]?.os },
  }));
  return encoded({ bytes: json({ schemaVersion: 2, mediaType, manifests }), mediaType }, [], children);
}

function encoded(
  manifest: StoredManifest,
  blobs: readonly Uint8Array[],
  children: readonly EncodedImage[],
): EncodedImage {
  return { digest: sha256Digest(manifest.bytes), manifest, blobs, children };
}

function descriptor(mediaType: string, bytes: Uint8Array): { mediaType: string; digest: string; size: number } {
  return { mediaType, digest: sha256Digest(bytes), size: bytes.length };
}

function json(content: unknown): Buffer {
  return Buffer.from(JSON.stringify(content));
}
