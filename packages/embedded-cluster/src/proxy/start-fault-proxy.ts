import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { listenOnLoopback } from '../listen.ts';
import { answerInstead, isOwnAnswer } from './answer-instead.ts';
import { type Backend, ProxyConnection, type ServerIdentity } from './connection.ts';
import { type FaultAction, type FaultHandle, type FaultRule, FaultRules } from './fault-rules.ts';
import { forward } from './forward.ts';

/** A request as the proxy saw it, written down when its head has arrived. */
export interface SeenRequest {
  readonly method: string;
  /** Path without the query. */
  readonly path: string;
  /** From the question mark on, or empty. */
  readonly query: string;
  /** What the client was answered; absent while nothing was, for ever when the fault allows no answer. */
  readonly status?: number;
  /** Kind of the fault it got; absent when it just passed. */
  readonly action?: FaultAction['kind'];
  /** When it arrived, in milliseconds since the Unix epoch. */
  readonly atMs: number;
}

/** Where the proxy listens and what it stands in front of. */
export interface FaultProxyOptions {
  /** Port of the backend on 127.0.0.1. */
  readonly targetPort: number;
  /** The backend speaks TLS; its certificate is not checked. */
  readonly targetUsesTls?: boolean;
  /** Port to listen on; a random one between 20000 and 32000 when absent. */
  readonly port?: number;
  /** Makes the proxy speak TLS to its clients with this key and certificate (PEM). */
  readonly identity?: ServerIdentity;
}

/** A running proxy that passes HTTP/1.1 and makes faults on the wire. It has no time-outs of its own. */
export interface FaultProxy {
  readonly port: number;
  /** `127.0.0.1:PORT`. */
  readonly host: string;
  readonly url: string;
  /** Puts a rule in force. Of several that match a request, the oldest one decides. */
  fault(rule: FaultRule): FaultHandle;
  /** Takes all rules out. What hangs or stalls already goes on to. */
  clear(): void;
  /** Cuts every connection and stops to listen, so that new ones are refused. Does nothing when refusing already. */
  refuse(): Promise<void>;
  /** Listens again on the same port. Does nothing when listening already. */
  accept(): Promise<void>;
  /** From now on connections are accepted, and nothing is read or written on any. */
  blackhole(): void;
  /** Whatever waited is served now, late, as after a mended network. */
  unblackhole(): void;
  /** Resets every connection; new ones are served. */
  cutConnections(): void;
  /** Every request since the start or `resetCounts`, in order of arrival. */
  readonly requests: readonly SeenRequest[];
  /** Connections accepted since the start or `resetCounts`. */
  readonly connectionCount: number;
  resetCounts(): void;
  close(): Promise<void>;
}

/**
 * Starts a forwarding proxy on 127.0.0.1 in front of any HTTP/1.1 backend on the same machine. Heads pass as they are, Host included,
 * so that a Location that the backend makes leads back through the proxy; bodies stream both ways.
 */
export async function startFaultProxy(options: FaultProxyOptions): Promise<FaultProxy> {
  const proxy = new RunningProxy(options);
  await proxy.accept();
  return proxy;
}

class RunningProxy implements FaultProxy {
  port: number;
  connectionCount = 0;
  readonly requests: SeenRequest[] = [];
  readonly #backend: Backend;
  readonly #identity: ServerIdentity | undefined;
  readonly #rules = new FaultRules();
  readonly #listener: Server;
  readonly #http = createHttpServer({ requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0 });
  readonly #connections = new Map<Socket, ProxyConnection>();
  #lastChange = Promise.resolve();
  /** Resolves at the end of the blackhole; absent outside of one. */
  #thawed: PromiseWithResolvers<void> | undefined;

  constructor(options: FaultProxyOptions) {
    this.port = options.port ?? 0;
    this.#backend = { port: options.targetPort, usesTls: options.targetUsesTls ?? false };
    this.#identity = options.identity;
    this.#listener = createTcpServer({ noDelay: true }, (socket) => {
      void this.#onConnection(socket);
    });
    this.#http.on('request', (request, response) => {
      void this.#onRequest(request, response);
    });
  }

  get host(): string {
    return `127.0.0.1:${this.port}`;
  }

  get url(): string {
    return `${this.#identity === undefined ? 'http' : 'https'}://${this.host}`;
  }

  fault(rule: FaultRule): FaultHandle {
    return this.#rules.add(rule);
  }

  clear(): void {
    this.#rules.clear();
  }

  async accept(): Promise<void> {
    await this.#inTurn(async () => {
      if (this.#listener.listening) return;
      this.port = await listenOnLoopback(this.#listener, this.port === 0 ? undefined : this.port);
    });
  }

  async refuse(): Promise<void> {
    await this.#inTurn(async () => {
      if (!this.#listener.listening) return;
      const closed = once(this.#listener, 'close');
      this.#listener.close();
      this.cutConnections();
      await closed;
    });
  }

  blackhole(): void {
    if (this.#thawed !== undefined) return;
    this.#thawed = Promise.withResolvers();
    for (const connection of this.#connections.values()) connection.freeze();
  }

  unblackhole(): void {
    if (this.#thawed === undefined) return;
    for (const connection of this.#connections.values()) connection.thaw();
    this.#thawed.resolve();
    this.#thawed = undefined;
  }

  cutConnections(): void {
    for (const connection of this.#connections.values()) connection.reset();
  }

  resetCounts(): void {
    this.requests.length = 0;
    this.connectionCount = 0;
  }

  async close(): Promise<void> {
    await this.refuse();
    this.unblackhole();
  }

  /** A listener that is told to listen while it still closes never says that it is closed. */
  async #inTurn(change: () => Promise<void>): Promise<void> {
    this.#lastChange = this.#lastChange.then(change, change);
    await this.#lastChange;
  }

  async #onConnection(socket: Socket): Promise<void> {
    this.connectionCount += 1;
    const connection = new ProxyConnection(socket, this.#backend, this.#identity);
    this.#connections.set(connection.stream, connection);
    socket.on('close', () => this.#connections.delete(connection.stream));
    if (this.#thawed !== undefined) {
      connection.freeze();
      await this.#thawed.promise;
    }
    if (!socket.destroyed) this.#http.emit('connection', connection.stream);
  }

  async #onRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.#thawed !== undefined) await this.#thawed.promise;
    const connection = this.#connections.get(request.socket);
    if (connection === undefined) return;
    const { method = '', url = '' } = request;
    const action = this.#rules.take({ method, url });
    const [path = '', ...query] = url.split(/(?=\?)/);
    const seen: { -readonly [Key in keyof SeenRequest]: SeenRequest[Key] } = {
      method,
      path,
      query: query.join(''),
      atMs: Date.now(),
    };
    if (action !== undefined) seen.action = action.kind;
    this.requests.push(seen);
    const onStatus = (status: number) => (seen.status = status);
    if (action !== undefined && isOwnAnswer(action)) answerInstead({ request, response, connection, onStatus }, action);
    else forward({ request, response, connection, action, onStatus }, this.#backend);
  }
}
