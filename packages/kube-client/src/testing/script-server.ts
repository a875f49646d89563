import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { KubeObject } from '../kube-object.ts';
import type { KubeTarget } from '../kube-target.ts';
import type { ResourceType } from '../resource-type.ts';

/** The kind that the server holds. */
export const widgetResource: ResourceType = {
  group: 'example.org',
  version: 'v1',
  plural: 'widgets',
  kind: 'Widget',
  namespaced: true,
};

/** An object of that kind. */
export interface Widget extends KubeObject {
  readonly spec: { readonly size: number; readonly text?: string };
  readonly status?: { readonly phase?: string };
}

/** A request as it arrived. */
export interface Seen {
  readonly kind: 'list' | 'watch' | 'other';
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly atMs: number;
}

/** Answers a request in the place of the server. */
export type Script = (response: ServerResponse, seen: Seen) => void;

interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: Widget;
  readonly version: number;
}

/**
 * An API server of one collection, on a real socket, that does what a test scripts. Unscripted, it lists in pages, watches
 * from a resourceVersion, answers 410 for a forgotten one, and takes merge patches of status.
 */
export class ScriptServer {
  readonly seen: Seen[] = [];
  readonly objects = new Map<string, Widget>();
  /** Answers of the next lists, watches and other requests, one each; undefined lets one through. */
  readonly scripts: Record<Seen['kind'], (Script | undefined)[]> = { list: [], watch: [], other: [] };
  connectionCount = 0;
  openConnections = 0;
  peakConnections = 0;
  version = 10;
  /** Watches hear of a change this much later. */
  delayEventsMs = 0;
  /** A resourceVersion before this one is too old. */
  forgotten = 0;
  readonly #changes: Change[] = [];
  readonly #snapshots = new Map<number, readonly Widget[]>();
  /** Open watches, and how far each has come. */
  readonly #watches = new Map<ServerResponse, number>();
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;
  readonly #isTls: boolean;

  /** @param tls makes it speak TLS */
  constructor(tls?: ServerOptions) {
    const onRequest = (request: IncomingMessage, response: ServerResponse) => {
      void this.#onRequest(request, response);
    };
    this.#isTls = tls !== undefined;
    this.#server = tls === undefined ? createServer(onRequest) : createTlsServer(tls, onRequest);
    this.#server.keepAliveTimeout = 60_000;
    this.#server.on('connection', (socket: Socket) => {
      this.connectionCount += 1;
      this.openConnections += 1;
      this.peakConnections = Math.max(this.peakConnections, this.openConnections);
      this.#sockets.add(socket);
      socket.on('close', () => {
        this.openConnections -= 1;
        this.#sockets.delete(socket);
      });
    });
  }

  async start(): Promise<this> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return this;
  }

  get url(): string {
    return `${this.#isTls ? 'https' : 'http'}://127.0.0.1:${this.port}`;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get openWatches(): number {
    return this.#watches.size;
  }

  /** Requests of a kind so far. */
  count(kind: Seen['kind']): number {
    return this.seen.filter((one) => one.kind === kind).length;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  /** Resets every connection. */
  cut(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  /** Ends every watch as a server does when its time is over. */
  endWatches(): void {
    for (const response of this.#watches.keys()) response.end();
    this.#watches.clear();
  }

  /** Stores an object under the next resourceVersion and tells the watches. A fresh uid when it is new. */
  write(name: string, size: number, part: Partial<Widget> = {}): Widget {
    const before = this.objects.get(name);
    this.version += 1;
    const object: Widget = {
      apiVersion: 'example.org/v1',
      kind: 'Widget',
      ...before,
      ...part,
      metadata: {
        name,
        namespace: 'team',
        uid: before?.metadata.uid ?? `uid-${this.version}`,
        ...part.metadata,
        resourceVersion: `${this.version}`,
      },
      spec: { ...before?.spec, ...part.spec, size },
    };
    this.objects.set(name, object);
    this.#publish({ type: before === undefined ? 'ADDED' : 'MODIFIED', object, version: this.version });
    return object;
  }

  remove(name: string): void {
    const before = this.objects.get(name);
    if (before === undefined) return;
    this.version += 1;
    this.objects.delete(name);
    const object = { ...before, metadata: { ...before.metadata, resourceVersion: `${this.version}` } };
    this.#publish({ type: 'DELETED', object, version: this.version });
  }

  /** Sends a line to every open watch as it is. */
  sendRaw(line: string | Buffer): void {
    for (const response of this.#watches.keys()) response.write(line);
  }

  /** Makes every resourceVersion up to now too old to resume from, and every continue token too. */
  compact(): void {
    this.version += 1;
    this.forgotten = this.version;
  }

  async #onRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const url = new URL(request.url ?? '', this.url);
    const isCollection = request.method === 'GET' && url.pathname.endsWith('/widgets');
    const kind = !isCollection ? 'other' : url.searchParams.has('watch') ? 'watch' : 'list';
    const body = Buffer.concat(chunks).toString();
    const seen = { kind, method: request.method ?? '', url, headers: request.headers, body, atMs: Date.now() } as const;
    this.seen.push(seen);
    const script = this.scripts[kind].shift();
    if (script !== undefined) script(response, seen);
    else if (kind === 'list') this.answerList(response, url);
    else if (kind === 'watch') this.answerWatch(response, url);
    else this.#answerOther(response, seen);
  }

  answerList(response: ServerResponse, url: URL): void {
    const [from = 0, at = 0] = (url.searchParams.get('continue') ?? `0:${this.version}`).split(':').map(Number);
    if (at < this.forgotten) {
      sendStatus(response, 410, 'Expired');
      return;
    }
    const limit = Number(url.searchParams.get('limit') ?? '500');
    const all = this.#snapshots.get(at) ?? [...this.objects.values()];
    this.#snapshots.set(at, all);
    const items = all.slice(from, from + limit);
    const next = from + limit < all.length ? { continue: `${from + limit}:${at}` } : {};
    sendJson(response, 200, { kind: 'WidgetList', metadata: { resourceVersion: `${at}`, ...next }, items });
  }

  answerWatch(response: ServerResponse, url: URL): void {
    const from = Number(url.searchParams.get('resourceVersion'));
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    if (from < this.forgotten) {
      response.end(errorLine(410, 'Expired'));
      return;
    }
    this.#watches.set(response, this.version);
    response.on('close', () => this.#watches.delete(response));
    for (const change of this.#changes) if (change.version > from) response.write(eventLine(change));
  }

  #publish(change: Change): void {
    this.#changes.push(change);
    const tell = () => {
      for (const [response, version] of this.#watches) {
        if (change.version > version) response.write(eventLine(change));
      }
    };
    if (this.delayEventsMs === 0) tell();
    else setTimeout(tell, this.delayEventsMs);
  }

  #answerOther(response: ServerResponse, seen: Seen): void {
    const name =
      seen.url.pathname
        .replace(/\/status$/, '')
        .split('/')
        .at(-1) ?? '';
    const object = this.objects.get(name);
    if (object === undefined) sendStatus(response, 404, 'NotFound');
    else if (seen.method !== 'PATCH') sendJson(response, 200, object);
    else {
      const patch = JSON.parse(seen.body) as { metadata?: { resourceVersion?: string }; status: Widget['status'] };
      const isStale = patch.metadata?.resourceVersion !== object.metadata.resourceVersion;
      if (isStale) sendStatus(response, 409, 'Conflict');
      else sendJson(response, 200, this.write(name, object.spec.size, { status: { ...patch.status } }));
    }
  }
}

/** Answers with JSON. */
export function sendJson(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

/** Answers with a Status, as the API server refuses. */
function sendStatus(response: ServerResponse, status: number, reason: string, headers = {}): void {
  const body = {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    code: status,
    reason,
    message: `about ${reason}`,
  };
  sendJson(response, status, body, headers);
}

/** A script that refuses. */
export function refuse(status: number, reason: string, headers = {}): Script {
  return (response) => {
    sendStatus(response, status, reason, headers);
  };
}

/** A script that breaks the connection in the place of an answer. */
export const reset: Script = (response) => {
  response.socket?.resetAndDestroy();
};

/** A line of a watch. */
export function eventLine(change: { readonly type: string; readonly object: unknown }): string {
  return `${JSON.stringify({ type: change.type, object: change.object })}\n`;
}

/** An ERROR event. */
export function errorLine(code: number, reason: string): string {
  return eventLine({ type: 'ERROR', object: { kind: 'Status', code, reason, message: 'about it' } });
}

/** A target without credentials at that address. */
export function openTarget(url: string): KubeTarget {
  return {
    server: url,
    namespace: 'team',
    credentials: () => Promise.resolve({ headers: {}, tls: {} }),
    refresh: () => undefined,
  };
}
