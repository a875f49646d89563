import type { Keychain } from './credential.ts';
import { digestOf, matchesDigest } from './digest.ts';
import { WireFault, type FaultSite } from './errors.ts';
import { acceptManifests, manifestKindOf, mediaTypeOf } from './media-types.ts';
import { parseManifest, type Descriptor, type ReadManifest } from './parse-manifest.ts';
import { formatReference, isDigest, tagOf, type ImageReference, type Repository } from './reference.ts';
import type { WireResponse } from './response.ts';
import { Session, type SessionDeps } from './session.ts';

const defaultManifestBytes = 4 * 1024 * 1024;

/** Statuses of a HEAD that only a GET makes sure of, or explains. */
const doubtfulOfHead: ReadonlySet<number> = new Set([400, 403, 404, 405, 406, 501]);

/** Reads and writes manifests. */
export class Manifests {
  readonly #deps: SessionDeps;

  constructor(deps: SessionDeps) {
    this.#deps = deps;
  }

  /**
   * What the reference points at now: one HEAD, and a GET where a registry answers a HEAD without a digest, or in a way
   * that only a GET makes sure of. A manifest that had to be read for that comes along.
   */
  async probe(reference: ImageReference, keychain: Keychain, signal: AbortSignal): Promise<Descriptor | ReadManifest> {
    const session = new Session(this.#deps, reference, keychain, signal);
    return session.run(readAction(reference), async () => {
      try {
        const response = await session.send(this.#request('HEAD', reference));
        await response.discard();
        const descriptor = descriptorOf(response);
        if (descriptor !== undefined) return checkedDescriptor(descriptor, reference, response.site);
      } catch (error) {
        if (!isDoubtful(error)) throw error;
      }
      return this.#get(session, reference);
    });
  }

  /** The manifest that the reference points at now: one GET. */
  async read(reference: ImageReference, keychain: Keychain, signal: AbortSignal): Promise<ReadManifest> {
    const session = new Session(this.#deps, reference, keychain, signal);
    return session.run(readAction(reference), () => this.#get(session, reference));
  }

  /** Writes a manifest under a tag or under its digest: one PUT. */
  async write(
    repository: Repository,
    tagOrDigest: string,
    manifest: { readonly bytes: Uint8Array; readonly mediaType: string },
    keychain: Keychain,
    signal: AbortSignal,
  ): Promise<Descriptor> {
    const session = new Session(this.#deps, repository, keychain, signal);
    const named = isDigest(tagOrDigest) ? { digest: tagOrDigest } : { tag: tagOrDigest };
    const action = { action: 'write manifest', subject: formatReference({ ...repository, ...named }) };
    return session.run(action, async () => {
      const response = await session.send({
        method: 'PUT',
        target: `manifests/${tagOrDigest}`,
        operation: 'manifest',
        headers: { 'content-type': manifest.mediaType },
        body: { sizeBytes: manifest.bytes.length, open: () => manifest.bytes },
      });
      await response.discard();
      if (response.status >= 300) throw unexpected(`answered ${response.status} to a write`, response.site);
      const kept = digestHeader(response);
      if (kept !== undefined && !matchesDigest(manifest.bytes, kept)) {
        throw unexpected('the registry kept other bytes than were sent', response.site);
      }
      return { digest: digestOf(manifest.bytes), mediaType: manifest.mediaType, sizeBytes: manifest.bytes.length };
    });
  }

  async #get(session: Session, reference: ImageReference): Promise<ReadManifest> {
    const response = await session.send(this.#request('GET', reference));
    const mediaType = mediaTypeOf(response.header('content-type'));
    if (response.status !== 200 || mediaType === 'text/html') {
      await response.discard();
      const what = response.status === 200 ? 'with a web page instead of a manifest' : response.status;
      throw unexpected(`answered ${what}`, response.site);
    }
    const maxBytes = this.#deps.options.limits?.manifestBytes ?? defaultManifestBytes;
    const bytes = await response.readWhole(maxBytes);
    if (bytes === undefined) throw unusable(`the manifest is larger than ${maxBytes} bytes`, response.site);
    const read = parseManifest(bytes, { digests: [reference.digest, digestHeader(response)], mediaType });
    if ('detail' in read) throw new WireFault(read, response.site);
    return read;
  }

  #request(method: 'GET' | 'HEAD', reference: ImageReference) {
    const target = `manifests/${reference.digest ?? tagOf(reference)}`;
    return { method, target, operation: 'manifest', headers: { accept: acceptManifests } } as const;
  }
}

/** Whether a HEAD failed at the registry or at its storage in a way that may have been the fault of the method. */
function isDoubtful(error: unknown): boolean {
  if (!(error instanceof WireFault) || error.fault.kind !== 'status') return false;
  return error.site.role !== 'token' && doubtfulOfHead.has(error.fault.status);
}

function readAction(reference: ImageReference): { action: string; subject: string } {
  const tag = reference.digest === undefined ? tagOf(reference) : reference.tag;
  return { action: 'read manifest', subject: formatReference({ ...reference, tag }) };
}

function digestHeader(response: WireResponse): string | undefined {
  const digest = response.header('docker-content-digest');
  return digest !== undefined && isDigest(digest) ? digest : undefined;
}

/** Undefined when the registry leaves something out that only the manifest itself tells. */
function descriptorOf(response: WireResponse): Descriptor | undefined {
  const digest = digestHeader(response);
  const mediaType = mediaTypeOf(response.header('content-type'));
  const sizeBytes = response.announcedBytes;
  if (response.status !== 200 || digest === undefined || sizeBytes === undefined) return undefined;
  return manifestKindOf(mediaType) === undefined ? undefined : { digest, mediaType, sizeBytes };
}

function checkedDescriptor(descriptor: Descriptor, reference: ImageReference, site: FaultSite): Descriptor {
  if (reference.digest === undefined || reference.digest === descriptor.digest) return descriptor;
  throw unexpected('answered with another digest than was asked for', site);
}

function unexpected(detail: string, site: FaultSite): WireFault {
  return new WireFault({ kind: 'unexpected', detail }, site);
}

function unusable(detail: string, site: FaultSite): WireFault {
  return new WireFault({ kind: 'unusable', detail }, site);
}
