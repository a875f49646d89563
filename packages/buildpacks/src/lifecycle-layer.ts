import { PassThrough, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { type Keychain, type RegistryClient, type RegistryImage } from '@buildkeeper/registry-client';
import { failureOf } from '@buildkeeper/retry-policy';
import { extract, type Extract } from 'tar-stream';
import { imageInvalid } from './errors.ts';
import { imageLayers, type ImageLayer } from './image-layer.ts';

/** How many layers are looked into, from the top: released images have the lifecycle in the topmost. */
const maxLayers = 4;
/** Bytes of files after which a layer isn't looked into any further; released lifecycles have some 40 MiB. */
const maxFileBytes = 512 * 1024 * 1024;

interface LayerDeps {
  readonly registry: RegistryClient;
  readonly keychain: Keychain;
}

/**
 * The topmost layer that holds `/cnb/lifecycle`. Other tools take the last layer unseen; of an image that somebody put
 * another layer on (certificates, say) that gives a builder without a lifecycle. As a rule only the first entries of
 * one layer are read. Throws RegistryError and BuildpackError.
 *
 * @param text the reference as the user wrote it, for messages
 */
export async function findLifecycleLayer(
  text: string,
  image: RegistryImage,
  deps: LayerDeps,
  signal: AbortSignal,
): Promise<ImageLayer> {
  const candidates = imageLayers(text, image).slice(-maxLayers).reverse();
  for (const layer of candidates) {
    const blob = await deps.registry.openBlob(image.repository, layer.digest, deps.keychain, signal);
    const archive = extract();
    const isFound = watchForLifecycle(archive);
    await pipeline(blob, decompressor(layer), archive, { signal }).catch((error: unknown) => {
      // Once it is found the rest of the layer isn't wanted, and the streams end in an error that says so.
      if (isFound()) return;
      if (failureOf(error) !== undefined || signal.aborted) throw error;
      throw imageInvalid(text, `layer ${layer.digest} is not a tar archive`, error);
    });
    if (isFound()) return layer;
  }
  throw imageInvalid(text, `none of its last ${candidates.length} layers holds /cnb/lifecycle`);
}

function decompressor(layer: ImageLayer): Transform {
  switch (layer.compression) {
    case 'gzip':
      return createGunzip();
    case 'zstd':
      return createZstdDecompress();
    case 'none':
      return new PassThrough();
  }
}

/** Destroys the archive as soon as the answer is known. */
function watchForLifecycle(archive: Extract): () => boolean {
  let isFound = false;
  let fileBytes = 0;
  archive.on('entry', (header, content, next) => {
    isFound = /^\.?\/?cnb\/lifecycle\/./.test(header.name);
    fileBytes += header.size;
    if (isFound || fileBytes > maxFileBytes) {
      archive.destroy();
      return;
    }
    content.on('end', next);
    content.resume();
  });
  return () => isFound;
}
