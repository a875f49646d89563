import { randomUUID } from 'node:crypto';
import { type Exchange, methodNotAllowed, readBody, type Reply } from './exchange.ts';
import { OciError } from './oci-error.ts';
import { type CompletedUpload, type RegistryStore, sha256Digest } from './registry-store.ts';

interface Session {
  readonly id: string;
  readonly repository: string;
  readonly chunks: Buffer[];
  sizeBytes: number;
}

/** Upload sessions. Each answer carries a new `_state` in its location, and a session obeys the newest one only. */
export class Uploads {
  /** Every blob that was sent in full, in order. */
  readonly completed: CompletedUpload[] = [];
  readonly #store: RegistryStore;
  readonly #sessions = new Map<string, Session>();

  constructor(store: RegistryStore) {
    this.#store = store;
  }

  /** Answers the path that starts uploads: a mount, a whole blob at once, or a new session. */
  async start(exchange: Exchange, repository: string): Promise<Reply> {
    if (exchange.method !== 'POST') return methodNotAllowed('POST');
    const { query } = exchange;
    const mounted = query.get('mount') ?? '';
    if (this.#store.mountBlob(repository, mounted, query.get('from') ?? ''))
      return created(exchange, repository, mounted);
    const session: Session = { id: randomUUID(), repository, chunks: [], sizeBytes: 0 };
    this.#sessions.set(session.id, session);
    return query.has('digest') ? await this.#finish(exchange, session) : sessionReply(202, exchange, session);
  }

  /** Answers the path of one session. */
  async continue(exchange: Exchange, target: { repository: string; session: string }): Promise<Reply> {
    const session = this.#session(exchange, target);
    switch (exchange.method) {
      case 'GET':
      case 'HEAD':
        return sessionReply(204, exchange, session);
      case 'PATCH':
        await append(exchange, session);
        return sessionReply(202, exchange, session);
      case 'PUT':
        return await this.#finish(exchange, session);
      case 'DELETE':
        this.#sessions.delete(session.id);
        return { status: 204, headers: { 'Docker-Upload-Uuid': session.id } };
      default:
        return methodNotAllowed('DELETE, GET, HEAD, PATCH, PUT');
    }
  }

  #session({ query }: Exchange, target: { repository: string; session: string }): Session {
    const state = query.get('_state') ?? '';
    if (!state.startsWith(statePrefix(target.repository, target.session)))
      throw new OciError({ code: 'BLOB_UPLOAD_INVALID', detail: {} });
    const session = this.#sessions.get(target.session);
    if (session === undefined) throw new OciError({ code: 'BLOB_UPLOAD_UNKNOWN', detail: {} });
    if (state !== stateOf(session)) throw new OciError({ code: 'BLOB_UPLOAD_INVALID' });
    return session;
  }

  async #finish(exchange: Exchange, session: Session): Promise<Reply> {
    const digest = exchange.query.get('digest') ?? '';
    if (digest === '') throw new OciError({ code: 'DIGEST_INVALID', detail: 'digest missing' });
    await append(exchange, session);
    const bytes = Buffer.concat(session.chunks);
    if (sha256Digest(bytes) !== digest)
      throw new OciError({ code: 'DIGEST_INVALID', detail: { Digest: digest, Reason: {} } });
    this.#sessions.delete(session.id);
    this.#store.putBlob(session.repository, bytes);
    this.completed.push({ repository: session.repository, digest });
    return created(exchange, session.repository, digest);
  }
}

/** Takes a chunk in, byte by byte: what arrived before a cut stays, so the session's state moves on all the same. */
async function append(exchange: Exchange, session: Session): Promise<void> {
  const [, start] = /^(\d+)-\d+$/.exec(exchange.headers['content-range'] ?? '') ?? [];
  if (start !== undefined && Number(start) !== session.sizeBytes) {
    await readBody(exchange);
    throw new OciError({ code: 'RANGE_INVALID' }, { ...sessionReply(416, exchange, session).headers });
  }
  for await (const chunk of exchange.body) {
    session.chunks.push(chunk);
    session.sizeBytes += chunk.length;
  }
}

function created(exchange: Exchange, repository: string, digest: string): Reply {
  const location = `${exchange.baseUrl}/v2/${repository}/blobs/${digest}`;
  return { status: 201, headers: { 'Content-Length': 0, 'Docker-Content-Digest': digest, Location: location } };
}

function sessionReply(status: number, exchange: Exchange, session: Session): Reply {
  const path = `/v2/${session.repository}/blobs/uploads/${session.id}`;
  const headers = {
    'Docker-Upload-Uuid': session.id,
    Location: `${exchange.baseUrl}${path}?_state=${encodeURIComponent(stateOf(session))}`,
    Range: `0-${Math.max(0, session.sizeBytes - 1)}`,
  };
  return { status, headers: status === 204 ? headers : { ...headers, 'Content-Length': 0 } };
}

/** Padding and a plus sign are in it on purpose: a client that rebuilds the location instead of following it breaks here. */
function stateOf(session: Session): string {
  return `${statePrefix(session.repository, session.id)}${session.sizeBytes}+==`;
}

function statePrefix(repository: string, id: string): string {
  return `${repository}:${id}:`;
}
