import type { Readable } from 'node:stream';
import type { Keychain } from './credential.ts';
import { hashFor, matchesDigest } from './digest.ts';
import { WireFault } from './errors.ts';
import { PulledStream } from './pulled-stream.ts';
import { formatReference, type Repository } from './reference.ts';
import type { WireResponse } from './response.ts';
import { Session, type Action, type SessionDeps } from './session.ts';

/** Statuses with which storage refuses a HEAD of an address that was signed for a GET. */
const refusedByStorage: ReadonlySet<number> = new Set([400, 403, 405, 501]);

/** Reads blobs, and asks whether they are there. */
export class Blobs {
  readonly #deps: SessionDeps;

  constructor(deps: SessionDeps) {
    this.#deps = deps;
  }

  /** Whether the repository has the blob: one HEAD. */
  async exists(repository: Repository, digest: string, keychain: Keychain, signal: AbortSignal): Promise<boolean> {
    const session = new Session(this.#deps, repository, keychain, signal);
    return session.run(blobAction('look for blob', repository, digest), () => hasBlob(session, digest));
  }

  /** A small blob, whole, its digest checked. Larger than `maxBytes` is class `invalid`. */
  async read(
    repository: Repository,
    digest: string,
    keychain: Keychain,
    options: { readonly maxBytes: number; readonly signal: AbortSignal },
  ): Promise<Uint8Array> {
    const session = new Session(this.#deps, repository, keychain, options.signal);
    return session.run(blobAction('read blob', repository, digest), async () => {
      const response = await getBlob(session, digest);
      const bytes = await response.readWhole(options.maxBytes);
      if (bytes === undefined) {
        throw new WireFault({ kind: 'unusable', detail: `larger than ${options.maxBytes} bytes` }, response.site);
      }
      if (!matchesDigest(bytes, digest)) throw wrongDigest(response);
      return bytes;
    });
  }

  /**
   * A blob as a stream, which fails with a RegistryError when the bytes stop early or are not those of the digest.
   * The last chunk is held back until the digest is known to be right.
   *
   * @param options `sizeBytes`: the size it must have, if that is known; `maxAttempts`: of the request, if whoever
   *   asks does the repeating
   */
  async open(
    repository: Repository,
    digest: string,
    keychain: Keychain,
    options: { readonly signal: AbortSignal; readonly sizeBytes?: number; readonly maxAttempts?: number },
  ): Promise<Readable> {
    const session = new Session(this.#deps, repository, keychain, options.signal);
    const { maxAttempts } = options;
    const action = {
      ...blobAction('read blob', repository, digest),
      ...(maxAttempts !== undefined && { maxAttempts }),
    };
    const response = await session.run(action, async () => {
      const answer = await getBlob(session, digest);
      const announced = answer.announcedBytes;
      if (options.sizeBytes === undefined || announced === undefined || announced === options.sizeBytes) return answer;
      answer.destroy();
      throw wrongSize(answer);
    });
    const chunks = verified(response, digest, options.sizeBytes, (error) => session.judge(error, action));
    return new PulledStream(chunks, () => {
      response.destroy();
    });
  }
}

/** Whether the session's repository has the blob. For use inside a run. */
export async function hasBlob(session: Session, digest: string): Promise<boolean> {
  const target = `blobs/${digest}`;
  try {
    const response = await session.send({ method: 'HEAD', target, operation: 'blob' });
    await response.discard();
    return response.status < 300;
  } catch (error) {
    if (!(error instanceof WireFault) || error.fault.kind !== 'status') throw error;
    if (error.site.role === 'storage' && refusedByStorage.has(error.fault.status))
      return startsReading(session, target);
    if (error.fault.status === 404) return false;
    throw error;
  }
}

async function startsReading(session: Session, target: string): Promise<boolean> {
  const response = await session.send({ method: 'GET', target, operation: 'blob' });
  response.destroy();
  return response.status < 300;
}

/** "Cannot read blob registry/repository@digest". */
export function blobAction(action: string, repository: Repository, digest: string): Action {
  return { action, subject: formatReference({ ...repository, digest }) };
}

async function getBlob(session: Session, digest: string): Promise<WireResponse> {
  const response = await session.send({ method: 'GET', target: `blobs/${digest}`, operation: 'blob' });
  if (response.status === 200) return response;
  await response.discard();
  throw new WireFault({ kind: 'unexpected', detail: `answered ${response.status}` }, response.site);
}

async function* verified(
  response: WireResponse,
  digest: string,
  expectedBytes: number | undefined,
  judge: (error: unknown) => Error,
): AsyncGenerator<Uint8Array, void> {
  const hash = hashFor(digest);
  let sizeBytes = 0;
  let held: Uint8Array | undefined;
  try {
    for await (const chunk of response.stream()) {
      sizeBytes += chunk.length;
      if (expectedBytes !== undefined && sizeBytes > expectedBytes) throw wrongSize(response);
      hash.update(chunk);
      if (held !== undefined) yield held;
      held = chunk;
    }
    if (expectedBytes !== undefined && sizeBytes !== expectedBytes) throw wrongSize(response);
    if (`${digest.slice(0, digest.indexOf(':'))}:${hash.digest('hex')}` !== digest) throw wrongDigest(response);
  } catch (error) {
    throw judge(error);
  }
  if (held !== undefined) yield held;
}

function wrongDigest(response: WireResponse): WireFault {
  return new WireFault({ kind: 'unexpected', detail: 'the content has another digest than it should' }, response.site);
}

function wrongSize(response: WireResponse): WireFault {
  return new WireFault({ kind: 'unexpected', detail: 'the content has another size than it should' }, response.site);
}
