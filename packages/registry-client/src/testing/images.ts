import { digestOf } from '../digest.ts';

/** A small image, as bytes. */
export interface TestImage {
  readonly manifest: Buffer;
  readonly mediaType: string;
  readonly digest: string;
  readonly config: Buffer;
  readonly configDigest: string;
  readonly layer: Buffer;
  readonly layerDigest: string;
}

/** Media type of the manifests made here. */
export const ociManifest = 'application/vnd.oci.image.manifest.v1+json';
/** Media type of the indexes made here. */
export const ociIndex = 'application/vnd.oci.image.index.v1+json';

/** An image with one layer of the given text, and a label `name` of the same. */
export function testImage(name: string, architecture = 'amd64'): TestImage {
  const layer = Buffer.from(`layer of ${name}`);
  const config = json({
    architecture,
    os: 'linux',
    config: { Labels: { name } },
    rootfs: { type: 'layers', diff_ids: [digestOf(layer)] },
  });
  const manifest = json({
    schemaVersion: 2,
    mediaType: ociManifest,
    config: descriptor('application/vnd.oci.image.config.v1+json', config),
    layers: [descriptor('application/vnd.oci.image.layer.v1.tar', layer)],
  });
  return {
    manifest,
    mediaType: ociManifest,
    digest: digestOf(manifest),
    config,
    configDigest: digestOf(config),
    layer,
    layerDigest: digestOf(layer),
  };
}

/** An index of images, each for linux and its architecture. */
export function testIndex(images: Readonly<Record<string, TestImage>>): Buffer {
  const manifests = Object.entries(images).map(([architecture, image]) => ({
    ...descriptor(ociManifest, image.manifest),
    platform: { os: 'linux', architecture },
  }));
  return json({ schemaVersion: 2, mediaType: ociIndex, manifests });
}

/** A JSON document as bytes. */
export function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

/** The descriptor of some bytes. */
export function descriptor(
  mediaType: string,
  bytes: Uint8Array,
): { readonly mediaType: string; readonly digest: string; readonly size: number } {
  return { mediaType, digest: digestOf(bytes), size: bytes.length };
}
