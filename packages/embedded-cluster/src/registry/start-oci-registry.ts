import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listenOnLoopback } from '../listen.ts';
import { answerRequest, type RegistryParts } from './answer-request.ts';
import { Authority, type RegistryAuth } from './authority.ts';
import { type Exchange, type Reply } from './exchange.ts';
import { type CompletedUpload, RegistryStore, type StoredManifest } from './registry-store.ts';
import { Uploads } from './uploads.ts';

/** A request that the registry was sent. */
export interface RegistryRequest {
  readonly method: string;
  /** Path without the query. */
  readonly path: string;
  /** From the question mark on, or empty. */
  readonly query: string;
  /** Absent until it is answered. */
  readonly status?: number;
}

/** Where the registry listens and who may use it. */
export interface OciRegistryOptions {
  /** A random port between 20000 and 32000 when absent. */
  readonly port?: number;
  /** Open to everybody when absent. */
  readonly auth?: RegistryAuth;
}

/** A running registry. What it holds is lost when the process ends. */
export interface OciRegistry {
  /** `127.0.0.1:PORT`, as in image references. */
  readonly host: string;
  readonly port: number;
  readonly url: string;
  /** Every request since the start or `resetCounts`, those for tokens too. */
  readonly requests: readonly RegistryRequest[];
  /** Blobs that were sent in full, since the start or `resetCounts`; mounts are not among them. */
  readonly uploads: readonly CompletedUpload[];
  /** Connections accepted since the start or `resetCounts`. */
  readonly connectionCount: number;
  resetCounts(): void;
  /** The manifest that a tag or digest names. */
  getManifest(repository: string, reference: string): StoredManifest | undefined;
  /** Stores a manifest unchecked, under a tag or its digest; answers its digest. */
  putManifest(repository: string, reference: string, manifest: StoredManifest): string;
  /** Removes a tag, or a manifest with all its tags; false when there is none. */
  deleteManifest(repository: string, reference: string): boolean;
  tags(repository: string): string[];
  /** A blob, whichever repository links it. */
  getBlob(digest: string): Uint8Array | undefined;
  /** Stores a blob and links it in the repository; answers its digest. */
  putBlob(repository: string, bytes: Uint8Array): string;
  /** Takes a blob's link out of a repository, as garbage collection does; false when there is none. */
  deleteBlob(repository: string, digest: string): boolean;
  /** Makes every token given out so far invalid. */
  revokeTokens(): void;
  close(): Promise<void>;
}

/** Starts an in-memory OCI distribution registry on 127.0.0.1 that behaves like docker-registry 2.8, see the README for the exceptions. */
export async function startOciRegistry(options: OciRegistryOptions = {}): Promise<OciRegistry> {
  const registry = new RunningRegistry(options.auth ?? { kind: 'none' });
  await registry.listen(options.port);
  return registry;
}

class RunningRegistry implements OciRegistry {
  port = 0;
  connectionCount = 0;
  readonly requests: RegistryRequest[] = [];
  readonly #store = new RegistryStore();
  readonly #uploads = new Uploads(this.#store);
  readonly #parts: RegistryParts;
  readonly #server = createServer({ keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0 });

  constructor(auth: RegistryAuth) {
    this.#parts = { store: this.#store, uploads: this.#uploads, authority: new Authority(auth) };
    this.#server.on('connection', () => (this.connectionCount += 1));
    this.#server.on('request', (request, response) => {
      void this.#onRequest(request, response);
    });
  }

  get host(): string {
    return `127.0.0.1:${this.port}`;
  }

  get url(): string {
    return `http://${this.host}`;
  }

  get uploads(): readonly CompletedUpload[] {
    return this.#uploads.completed;
  }

  async listen(port: number | undefined): Promise<void> {
    this.port = await listenOnLoopback(this.#server, port);
  }

  resetCounts(): void {
    this.requests.length = 0;
    this.#uploads.completed.length = 0;
    this.connectionCount = 0;
  }

  getManifest(repository: string, reference: string): StoredManifest | undefined {
    return this.#store.manifest(repository, reference);
  }

  putManifest(repository: string, reference: string, manifest: StoredManifest): string {
    return this.#store.putManifest(repository, reference, manifest);
  }

  deleteManifest(repository: string, reference: string): boolean {
    return this.#store.deleteManifest(repository, reference);
  }

  tags(repository: string): string[] {
    return this.#store.tags(repository);
  }

  getBlob(digest: string): Uint8Array | undefined {
    return this.#store.anyBlob(digest);
  }

  putBlob(repository: string, bytes: Uint8Array): string {
    return this.#store.putBlob(repository, bytes);
  }

  deleteBlob(repository: string, digest: string): boolean {
    return this.#store.deleteBlob(repository, digest);
  }

  revokeTokens(): void {
    this.#parts.authority.revokeTokens();
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #onRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '' } = request;
    const [path = '', ...rest] = url.split(/(?=\?)/);
    const query = rest.join('');
    const seen: { -readonly [Key in keyof RegistryRequest]: RegistryRequest[Key] } = { method, path, query };
    this.requests.push(seen);
    const exchange: Exchange = {
      method,
      query: new URLSearchParams(query),
      headers: request.headers,
      body: request,
      baseUrl: `http://${request.headers.host ?? this.host}`,
    };
    const reply = await answerRequest(this.#parts, path, exchange);
    if (request.destroyed && !request.complete) return;
    seen.status = reply.status;
    if (path.startsWith('/v2')) response.setHeader('Docker-Distribution-Api-Version', 'registry/2.0');
    send(response, reply, method);
  }
}

function send(response: ServerResponse, reply: Reply, method: string): void {
  const { body } = reply;
  const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) };
  response.writeHead(reply.status, { ...reply.headers, ...length });
  if (method === 'HEAD' || body === undefined) response.end();
  else response.end(body);
}
