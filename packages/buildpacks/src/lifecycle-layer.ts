import { PassThrough, Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { type Keychain, type RegistryClient, type RegistryImage, type Repository } from '@buildkeeper/registry-client';
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
    if (await hasLifecycle({ text, repository: image.repository, layer }, deps, signal)) return layer;
  }
  throw imageInvalid(text, `none of its last ${candidates.length} layers holds /cnb/lifecycle`);
}

interface Place {
  readonly text: string;
  readonly repository: Repository;
  readonly layer: ImageLayer;
}

async function hasLifecycle(
  { text, repository, layer }: Place,
  deps: LayerDeps,
  signal: AbortSignal,
): Promise<boolean> {
  const { registry, keychain } = deps;
  const blob = await registry.openBlob(repository, layer.digest, keychain, signal);
  return search(blob, layer, signal).catch(async (error: unknown) => {
    if (failureOf(error) !== undefined || signal.aborted) throw error;
    // The stream is checked at its end, which was not reached: only checked bytes tell bad content from a bad transfer.
    const bytes = await registry.readBlob(repository, layer.digest, keychain, { maxBytes: maxFileBytes, signal });
    return search(Readable.from([bytes]), layer, signal).catch((cause: unknown) => {
      throw signal.aborted ? cause : imageInvalid(text, `layer ${layer.digest} is not a tar archive`, cause);
    });
  });
}

async function search(blob: Readable, layer: ImageLayer, signal: AbortSignal): Promise<boolean> {
  const archive = extract();
  const sight = watchForLifecycle(archive);
  await pipeline(blob, decompressor(layer), archive, { signal }).catch((error: unknown) => {
    // Once the answer is known the rest of the layer isn't wanted, and the streams end in an error that says so.
    if (!sight.isSettled) throw error;
  });
  return sight.isFound;
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

interface Sight {
  isFound: boolean;
  /** Found, or looked for long enough. */
  isSettled: boolean;
}

/** Destroys the archive as soon as the answer is known. */
function watchForLifecycle(archive: Extract): Sight {
  const sight: Sight = { isFound: false, isSettled: false };
  let fileBytes = 0;
  archive.on('entry', (header, content, next) => {
    sight.isFound = /^\.?\/?cnb\/lifecycle\/./.test(header.name);
    fileBytes += header.size;
    sight.isSettled = sight.isFound || fileBytes > maxFileBytes;
    if (sight.isSettled) {
      archive.destroy();
      return;
    }
    content.on('end', next);
    content.resume();
  });
  return sight;
}
