import { createHash } from 'node:crypto';
import { Agent, type Dispatcher, ProxyAgent } from 'undici';
import type { TlsMaterial } from './kube-target.ts';

/** Calls are short and share few connections; each watch keeps one for minutes and must never wait for a free one. */
export type Lane = 'call' | 'watch';

/** Limits of the connections to the API server, in milliseconds. */
export interface ConnectionLimits {
  readonly connectMs: number;
  readonly headersMs: number;
  /** Longest silence inside the body of a call. */
  readonly bodyMs: number;
}

/** Connections that calls may use at once; the others wait. */
const callConnections = 16;

/** Idle connections are kept this long, unless the server says less. */
const keepAliveMs = 30_000;

interface Pools {
  readonly key: string;
  readonly lanes: Readonly<Record<Lane, Dispatcher>>;
}

/** Keep-alive connections to one API server. They are replaced when its CA or our certificate changes. */
export class ConnectionPools {
  readonly #limits: ConnectionLimits;
  readonly #proxyUrl: string | undefined;
  #pools: Pools | undefined;
  /** All that are open, those of old TLS material too while their last requests run. */
  readonly #open = new Set<Dispatcher>();
  #isClosed = false;

  constructor(limits: ConnectionLimits, proxyUrl: string | undefined) {
    this.#limits = limits;
    this.#proxyUrl = proxyUrl;
  }

  /** The pool for this TLS material: the same one for as long as the material stays the same. Throws after `close`. */
  dispatcher(lane: Lane, tls: TlsMaterial): Dispatcher {
    if (this.#isClosed) throw new Error('The client is closed');
    const key = fingerprint(tls);
    if (this.#pools?.key !== key) {
      this.#retire();
      this.#pools = { key, lanes: { call: this.#create(tls, callConnections), watch: this.#create(tls, null) } };
    }
    return this.#pools.lanes[lane];
  }

  /** Cuts every connection. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#open].map((lane) => lane.destroy()));
  }

  /** Lets running requests end: their credentials were good when they began. */
  #retire(): void {
    for (const lane of Object.values(this.#pools?.lanes ?? {})) {
      const forget = () => this.#open.delete(lane);
      lane.close().then(forget, forget);
    }
  }

  #create(tls: TlsMaterial, connections: number | null): Dispatcher {
    const options = {
      connections,
      allowH2: false,
      connect: { ...tls, timeout: this.#limits.connectMs },
      headersTimeout: this.#limits.headersMs,
      bodyTimeout: this.#limits.bodyMs,
      keepAliveTimeout: keepAliveMs,
    };
    const uri = this.#proxyUrl;
    const lane =
      uri === undefined ? new Agent(options) : new ProxyAgent({ ...options, uri, requestTls: options.connect });
    this.#open.add(lane);
    return lane;
  }
}

function fingerprint(tls: TlsMaterial): string {
  const hash = createHash('sha256');
  for (const part of [tls.ca, tls.cert, tls.key, tls.servername, `${tls.rejectUnauthorized ?? ''}`]) {
    // The length keeps two neighbours from passing for one.
    hash.update(`${part?.length ?? '-'}:`).update(part ?? '');
  }
  return hash.digest('hex');
}
