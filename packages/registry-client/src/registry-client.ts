import type { Readable } from 'node:stream';
import { Authorizer } from './authorization.ts';
import { Blobs } from './blobs.ts';
import type { Keychain } from './credential.ts';
import { RegistryError } from './errors.ts';
import type { Platform } from './image-json.ts';
import { Images, type RegistryImage } from './images.ts';
import { Manifests } from './manifests.ts';
import type { RegistryClientOptions } from './options.ts';
import type { Descriptor } from './parse-manifest.ts';
import type { ImageReference, Repository } from './reference.ts';
import { defaultErrorBodyBytes, type SessionDeps } from './session.ts';
import { Tokens } from './tokens.ts';
import { createTransport } from './transport.ts';
import { Uploads, type BlobPlacement, type BlobSource, type BlobTarget } from './uploads.ts';

/** A manifest to write. */
export interface NewManifest {
  readonly bytes: Uint8Array;
  readonly mediaType: string;
}

/**
 * Speaks the OCI distribution protocol. Every method throws RegistryError and nothing else; when the signal aborts,
 * one of class `aborted`, at once.
 *
 * @see https://github.com/opencontainers/distribution-spec/blob/main/spec.md
 */
export interface RegistryClient {
  /** What the reference points at now. One HEAD; a GET where the registry's HEAD does not tell. */
  headManifest(reference: ImageReference, keychain: Keychain, signal: AbortSignal): Promise<Descriptor>;
  /**
   * The image that the reference points at, for one platform (default linux/amd64). One HEAD if this client has read
   * the reference before and it has not moved; bytes are checked against their digests.
   */
  readImage(
    reference: ImageReference,
    keychain: Keychain,
    options: { readonly platform?: Platform; readonly signal: AbortSignal },
  ): Promise<RegistryImage>;
  /** Whether the repository has the blob. One HEAD. */
  blobExists(repository: Repository, digest: string, keychain: Keychain, signal: AbortSignal): Promise<boolean>;
  /**
   * Sees to it that the repository has the blob: mounted if the registry can, else uploaded. Content of another
   * repository streams through; it is never held whole.
   */
  ensureBlob(target: BlobTarget, source: BlobSource, keychain: Keychain, signal: AbortSignal): Promise<BlobPlacement>;
  /** Writes a manifest under a tag or under its digest. Its blobs must be there already. */
  putManifest(
    repository: Repository,
    tagOrDigest: string,
    manifest: NewManifest,
    keychain: Keychain,
    signal: AbortSignal,
  ): Promise<Descriptor>;
  /** A blob, whole and checked. Larger than `maxBytes` is class `invalid`. */
  readBlob(
    repository: Repository,
    digest: string,
    keychain: Keychain,
    options: { readonly maxBytes: number; readonly signal: AbortSignal },
  ): Promise<Uint8Array>;
  /** A blob as a stream, checked at its end: wrong bytes make the stream fail with a RegistryError. */
  openBlob(repository: Repository, digest: string, keychain: Keychain, signal: AbortSignal): Promise<Readable>;
  /** Ends all connections; what is under way fails with class `aborted`. */
  close(): Promise<void>;
}

/** A client with connections, tokens and a cache of its own. One for a process. */
export function createRegistryClient(options: RegistryClientOptions): RegistryClient {
  const transport = createTransport(options);
  const errorBodyBytes = options.limits?.errorBodyBytes ?? defaultErrorBodyBytes;
  const authorizer = new Authorizer(new Tokens(transport, options.clock, errorBodyBytes));
  const deps: SessionDeps = { transport, authorizer, clock: options.clock, options };
  const manifests = new Manifests(deps);
  const blobs = new Blobs(deps);
  const images = new Images(manifests, blobs, options.limits);
  const uploads = new Uploads(deps, blobs);
  return {
    async headManifest(reference, keychain, signal) {
      const { digest, mediaType, sizeBytes } = await manifests.probe(reference, keychain, signal);
      return { digest, mediaType, sizeBytes };
    },
    readImage: (reference, keychain, readOptions) => images.read(reference, keychain, readOptions),
    blobExists: (repository, digest, keychain, signal) => blobs.exists(repository, digest, keychain, signal),
    ensureBlob: (target, source, keychain, signal) => uploads.ensure(target, source, keychain, signal),
    async putManifest(repository, tagOrDigest, manifest, keychain, signal) {
      try {
        return await manifests.write(repository, tagOrDigest, manifest, keychain, signal);
      } catch (error) {
        if (isMissingBlob(error)) uploads.distrustMounts(repository);
        throw error;
      }
    },
    readBlob: (repository, digest, keychain, readOptions) => blobs.read(repository, digest, keychain, readOptions),
    openBlob: (repository, digest, keychain, signal) => blobs.open(repository, digest, keychain, { signal }),
    close: () => transport.close(),
  };
}

/** Whether a manifest was refused because a blob is missing that the registry had said was there. */
function isMissingBlob(error: unknown): boolean {
  const code = error instanceof RegistryError ? error.failure.registryCode : undefined;
  return code === 'MANIFEST_BLOB_UNKNOWN' || code === 'BLOB_UNKNOWN';
}
