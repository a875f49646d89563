import type { Blobs } from './blobs.ts';
import { classify, localSite } from './classify.ts';
import type { Keychain } from './credential.ts';
import { RegistryError } from './errors.ts';
import {
  formatPlatform,
  imageConfigFrom,
  imageManifestFrom,
  manifestForPlatform,
  type ImageConfig,
  type ImageManifest,
  type Platform,
} from './image-json.ts';
import { parseJsonObject, type JsonObject } from './json.ts';
import { LruCache } from './lru-cache.ts';
import type { Manifests } from './manifests.ts';
import { manifestKindOf } from './media-types.ts';
import type { ReadManifest } from './parse-manifest.ts';
import { formatReference, tagOf, type ImageReference, type Repository } from './reference.ts';
import type { ContentLimits } from './options.ts';

/** An image as it stands in a registry: the manifest of one platform, and its configuration. */
export interface RegistryImage {
  readonly repository: Repository;
  /** Of the platform's manifest. */
  readonly digest: string;
  /** Of the index that the reference points at, if it points at one. */
  readonly indexDigest?: string;
  /** Of the platform's manifest. */
  readonly mediaType: string;
  readonly manifest: ImageManifest;
  readonly config: ImageConfig;
  readonly manifestBytes: Uint8Array;
  readonly configBytes: Uint8Array;
}

interface KeptContent {
  readonly bytes: Uint8Array;
  readonly mediaType: string;
}

const defaultPlatform: Platform = { os: 'linux', architecture: 'amd64' };
const defaultCacheBytes = 16 * 1024 * 1024;
const defaultConfigBytes = 8 * 1024 * 1024;
/** What an entry costs besides its bytes, about. */
const entryOverheadBytes = 512;
const maxKnownReferences = 10_000;

/** Reads images. What has a digest is kept; an image that has not changed costs one HEAD. */
export class Images {
  /** What each reference pointed at when it was last read. */
  readonly #known = new LruCache<string>(maxKnownReferences);
  /** By repository and digest: what one repository holds is not shown to a reader of another. */
  readonly #content: LruCache<KeptContent>;
  readonly #manifests: Manifests;
  readonly #blobs: Blobs;
  readonly #configBytes: number;

  constructor(manifests: Manifests, blobs: Blobs, limits: ContentLimits = {}) {
    this.#manifests = manifests;
    this.#blobs = blobs;
    this.#content = new LruCache(limits.cacheBytes ?? defaultCacheBytes);
    this.#configBytes = limits.configBytes ?? defaultConfigBytes;
  }

  /** The image that the reference points at now, for one platform. */
  async read(
    reference: ImageReference,
    keychain: Keychain,
    options: { readonly platform?: Platform; readonly signal: AbortSignal },
  ): Promise<RegistryImage> {
    const { signal } = options;
    const top = await this.#top(reference, keychain, signal);
    const platform = options.platform ?? defaultPlatform;
    const own = top.kind === 'index' ? await this.#child(top, reference, platform, keychain, signal) : top;
    const manifest = own.kind === 'image' ? imageManifestFrom(own.json, own.mediaType) : undefined;
    if (manifest === undefined) throw unusable(reference, 'the manifest is none of an image');
    const { bytes, json } = await this.#config(manifest, reference, keychain, signal);
    const config = imageConfigFrom(json);
    if (config === undefined) throw unusable(reference, 'the config is none of an image');
    return {
      repository: { registry: reference.registry, repository: reference.repository },
      digest: own.digest,
      ...(own !== top && { indexDigest: top.digest }),
      mediaType: own.mediaType,
      manifest,
      config,
      manifestBytes: own.bytes,
      configBytes: bytes,
    };
  }

  async #top(reference: ImageReference, keychain: Keychain, signal: AbortSignal): Promise<ReadManifest> {
    const name = formatReference({ ...reference, tag: tagOf(reference) });
    const isKnown = this.#known.get(name) !== undefined;
    const found = await (isKnown
      ? this.#manifests.probe(reference, keychain, signal)
      : this.#manifests.read(reference, keychain, signal));
    this.#known.set(name, found.digest);
    if ('json' in found) return this.#keep(reference, found);
    // By digest from here on: the tag may move between two requests.
    return this.#byDigest({ ...reference, digest: found.digest }, keychain, signal);
  }

  async #child(
    index: ReadManifest,
    reference: ImageReference,
    platform: Platform,
    keychain: Keychain,
    signal: AbortSignal,
  ): Promise<ReadManifest> {
    const digest = manifestForPlatform(index.json, platform);
    if (digest === undefined) throw unusable(reference, `it has no manifest for ${formatPlatform(platform)}`);
    return this.#byDigest({ ...reference, digest }, keychain, signal);
  }

  async #byDigest(
    reference: ImageReference & { readonly digest: string },
    keychain: Keychain,
    signal: AbortSignal,
  ): Promise<ReadManifest> {
    const kept = this.#content.get(keyOf(reference, reference.digest));
    const kind = kept === undefined ? undefined : manifestKindOf(kept.mediaType);
    const json = kept === undefined ? undefined : parseJsonObject(kept.bytes);
    if (kept !== undefined && kind !== undefined && json !== undefined) {
      const { bytes, mediaType } = kept;
      return { digest: reference.digest, mediaType, sizeBytes: bytes.length, kind, bytes, json };
    }
    return this.#keep(reference, await this.#manifests.read(reference, keychain, signal));
  }

  async #config(
    manifest: ImageManifest,
    reference: ImageReference,
    keychain: Keychain,
    signal: AbortSignal,
  ): Promise<{ readonly bytes: Uint8Array; readonly json: JsonObject }> {
    const { digest, mediaType, size } = manifest.config;
    if (size > this.#configBytes) throw unusable(reference, `the config is larger than ${this.#configBytes} bytes`);
    const key = keyOf(reference, digest);
    const limits = { maxBytes: this.#configBytes, signal };
    const bytes = this.#content.get(key)?.bytes ?? (await this.#blobs.read(reference, digest, keychain, limits));
    const json = parseJsonObject(bytes);
    if (json === undefined) throw unusable(reference, 'the config is not JSON');
    this.#content.set(key, { bytes, mediaType }, bytes.length + entryOverheadBytes);
    return { bytes, json };
  }

  #keep(repository: Repository, manifest: ReadManifest): ReadManifest {
    const { bytes, mediaType, digest } = manifest;
    this.#content.set(keyOf(repository, digest), { bytes, mediaType }, bytes.length + entryOverheadBytes);
    return manifest;
  }
}

function keyOf({ registry, repository }: Repository, digest: string): string {
  return formatReference({ registry, repository, digest });
}

function unusable(reference: ImageReference, detail: string): RegistryError {
  const tag = reference.digest === undefined ? tagOf(reference) : reference.tag;
  const attempt = {
    action: 'read image',
    subject: formatReference({ ...reference, tag }),
    repository: reference.repository,
    isReplayable: false,
  };
  return new RegistryError(classify({ kind: 'unusable', detail }, localSite, attempt));
}
