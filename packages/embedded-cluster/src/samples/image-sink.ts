import { type StoredManifest } from '../registry/registry-store.ts';
import { type EncodedImage, encodeImage, type SampleImage, type SampleIndex } from './sample-image.ts';

/** Where images can be put: the embedded registry itself, or any registry over HTTP. */
export interface ImageSink {
  putBlob(repository: string, bytes: Uint8Array): unknown;
  putManifest(repository: string, reference: string, manifest: StoredManifest): unknown;
}

/** Puts an image or index, blobs first, under a tag; answers the digest the tag then has. */
export async function pushImage(
  sink: ImageSink,
  target: { readonly repository: string; readonly tag: string },
  image: SampleImage | SampleIndex,
): Promise<string> {
  const encoded = encodeImage(image);
  await putEncoded(sink, target.repository, target.tag, encoded);
  return encoded.digest;
}

async function putEncoded(sink: ImageSink, repository: string, reference: string, image: EncodedImage): Promise<void> {
  for (const child of image.children) await putEncoded(sink, repository, child.digest, child);
  for (const blob of image.blobs) await sink.putBlob(repository, blob);
  await sink.putManifest(repository, reference, image.manifest);
}
