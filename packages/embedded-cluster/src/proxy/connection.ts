import { Agent as HttpAgent, type ClientRequest, type ServerResponse } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/** The backend behind the proxy. */
export interface Backend {
  readonly port: number;
  /** Speaks TLS; its certificate is not checked. */
  readonly usesTls: boolean;
}

/** Key and certificate (PEM) that the proxy shows to its clients. */
export interface ServerIdentity {
  readonly key: string;
  readonly cert: string;
}

/**
 * One client's connection and the one connection to the backend that serves it. They live and die together, so that a client sees
 * the backend's keep-alive and its idle closes as if it spoke to it directly.
 */
export class ProxyConnection {
  readonly #raw: Socket;
  /** What HTTP is spoken over: the socket itself, or TLS on it. */
  readonly stream: Socket;
  /** Keeps the one connection to the backend. */
  readonly agent: HttpAgent;
  readonly #watched = new WeakSet<Socket>();
  #activeRequests = 0;

  constructor(raw: Socket, backend: Backend, identity?: ServerIdentity) {
    this.#raw = raw;
    this.stream = identity === undefined ? raw : new TLSSocket(raw, { ...identity, isServer: true });
    // No time of its own is taken off the backend's keep-alive: whoever closes first must be the backend, or the client.
    const options = { keepAlive: true, maxSockets: 1, agentKeepAliveTimeoutBuffer: 0 };
    this.agent = backend.usesTls ? new HttpsAgent({ ...options, rejectUnauthorized: false }) : new HttpAgent(options);
    // Every end of a socket also shows in its streams; without a listener a reset would end the process.
    this.stream.on('error', () => undefined);
    raw.on('error', () => undefined);
    raw.on('close', () => {
      this.agent.destroy();
    });
  }

  /** Ends the connection with an RST, as a crashed peer or a firewall does. */
  reset(): void {
    if (!this.#raw.destroyed) this.#raw.resetAndDestroy();
    if (this.stream !== this.#raw) this.stream.destroy();
  }

  /** Holds back whatever is written until `thaw`. */
  freeze(): void {
    this.stream.cork();
  }

  thaw(): void {
    this.stream.uncork();
  }

  /** Resolves when all that was written has left this process. */
  async drained(): Promise<void> {
    while (this.stream.writableLength > 0 && !this.stream.destroyed) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  /** Counts an exchange as running until its answer is through, and passes an idle close by the backend on to the client. */
  track(request: ClientRequest, response: ServerResponse): void {
    this.#activeRequests += 1;
    response.on('close', () => {
      this.#activeRequests -= 1;
    });
    request.on('socket', (socket) => {
      if (this.#watched.has(socket)) return;
      this.#watched.add(socket);
      socket.on('close', () => {
        if (this.#activeRequests === 0) this.stream.end();
      });
    });
  }
}
