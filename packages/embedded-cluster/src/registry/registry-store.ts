import { createHash } from 'node:crypto';

/** A manifest as it was pushed. */
export interface StoredManifest {
  readonly bytes: Uint8Array;
  readonly mediaType: string;
}

/** A blob that was sent in full to a repository; mounts are not among them. */
export interface CompletedUpload {
  readonly repository: string;
  readonly digest: string;
}

interface StoredRepository {
  /** Blobs that were uploaded to or mounted into this repository; others exist, and are not served from here. */
  readonly blobs: Set<string>;
  readonly manifests: Map<string, StoredManifest>;
  readonly tags: Map<string, string>;
}

/** `sha256:` and the hexadecimal digest of the bytes. */
export function sha256Digest(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

/** What the registry holds. Blobs are kept once, and linked by repository. */
export class RegistryStore {
  readonly #blobs = new Map<string, Uint8Array>();
  readonly #repositories = new Map<string, StoredRepository>();

  hasRepository(name: string): boolean {
    return this.#repositories.has(name);
  }

  repositories(): string[] {
    return [...this.#repositories.keys()].sort();
  }

  tags(name: string): string[] {
    return [...(this.#repositories.get(name)?.tags.keys() ?? [])].sort();
  }

  /** The blob as this repository links it. */
  blob(name: string, digest: string): Uint8Array | undefined {
    return this.#repositories.get(name)?.blobs.has(digest) === true ? this.#blobs.get(digest) : undefined;
  }

  /** The blob, whoever links it. */
  anyBlob(digest: string): Uint8Array | undefined {
    return this.#blobs.get(digest);
  }

  putBlob(name: string, bytes: Uint8Array): string {
    const digest = sha256Digest(bytes);
    this.#blobs.set(digest, bytes);
    this.#repository(name).blobs.add(digest);
    return digest;
  }

  /** Links a blob of another repository; false when it isn't there. */
  mountBlob(name: string, digest: string, from: string): boolean {
    if (this.blob(from, digest) === undefined) return false;
    this.#repository(name).blobs.add(digest);
    return true;
  }

  /** Takes away the link; false when there is none. */
  deleteBlob(name: string, digest: string): boolean {
    return this.#repositories.get(name)?.blobs.delete(digest) ?? false;
  }

  /** Digest that a tag points at, or the given digest when it is here. */
  digestOf(name: string, reference: string): string | undefined {
    const repository = this.#repositories.get(name);
    const digest = reference.includes(':') ? reference : repository?.tags.get(reference);
    return digest !== undefined && repository?.manifests.has(digest) === true ? digest : undefined;
  }

  manifest(name: string, reference: string): StoredManifest | undefined {
    return this.#repositories.get(name)?.manifests.get(this.digestOf(name, reference) ?? '');
  }

  /** Stores a manifest as it is; a reference that is no digest becomes a tag of it. */
  putManifest(name: string, reference: string, manifest: StoredManifest): string {
    const digest = sha256Digest(manifest.bytes);
    const repository = this.#repository(name);
    repository.manifests.set(digest, manifest);
    if (!reference.includes(':')) repository.tags.set(reference, digest);
    return digest;
  }

  /** Removes a tag alone, or a manifest with all tags that point at it; false when there is none. */
  deleteManifest(name: string, reference: string): boolean {
    const repository = this.#repositories.get(name);
    if (repository === undefined) return false;
    if (!reference.includes(':')) return repository.tags.delete(reference);
    for (const [tag, digest] of repository.tags) if (digest === reference) repository.tags.delete(tag);
    return repository.manifests.delete(reference);
  }

  #repository(name: string): StoredRepository {
    const known = this.#repositories.get(name);
    if (known !== undefined) return known;
    const fresh: StoredRepository = { blobs: new Set(), manifests: new Map(), tags: new Map() };
    this.#repositories.set(name, fresh);
    return fresh;
  }
}
