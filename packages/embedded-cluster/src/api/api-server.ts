import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listenOnLoopback } from '../listen.ts';
import { answer } from './api-request.ts';
import { type ClusterState } from './cluster-state.ts';
import { ListPages } from './list-pages.ts';
import { ObjectStorage } from './object-storage.ts';
import { ResourceCatalog } from './resource-catalog.ts';
import { answerRequest, openPaths } from './routes.ts';
import { ApiError, unauthorized } from './statuses.ts';
import { createBuiltIn, startStandingControllers } from './standing-controllers.ts';
import { readRequest, sendAnswer, sendWatch } from './http-exchange.ts';
import { createDirectAccess, type DirectAccess } from './direct-access.ts';
import { kubeconfigText } from './kubeconfig.ts';

/** How the API server is to be. */
export interface ApiServerOptions {
  /** The port on 127.0.0.1; a random free one between 20000 and 32000 when left out. */
  readonly port?: number;
  /** CustomResourceDefinition objects that are there from the start. */
  readonly crds?: readonly object[];
  /** The bearer token that every request must carry; none is asked for when left out. kubectl sends none over plain HTTP. */
  readonly token?: string;
  /** How often a watch that allows bookmarks gets one; 5000 when left out. A last one comes when its time is up. */
  readonly bookmarkIntervalMs?: number;
  /** How many changes of a resource can be resumed over, at least; 10000 when left out. */
  readonly historyLimit?: number;
}

/** A request that the server has answered; a watch counts as answered when it begins. */
export interface ApiServerRequest {
  readonly method: string;
  readonly path: string;
  /** What stands behind the `?`; empty when nothing does. */
  readonly query: string;
  readonly status: number;
  readonly userAgent: string;
}

/** A running Kubernetes API server on 127.0.0.1, in memory, over plain HTTP. */
export interface ApiServer extends DirectAccess {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  readonly port: number;
  /** The latest requests over the network, oldest first, 10,000 at least; the in-process calls are not among them. */
  readonly requests: readonly ApiServerRequest[];
  /** A kubeconfig as YAML. `server` stands for the server's own address, when a proxy is in between. */
  kubeconfig(options?: { readonly server?: string }): string;
  /** Forgets all changes so far: a watch from an older resourceVersion, and a begun paged list, answer 410. Open watches go on. */
  compact(): void;
  /** Ends every open watch cleanly, as a real server does now and then. */
  dropWatches(): void;
  /** Ends all watches and connections, and frees the port. */
  close(): Promise<void>;
}

const rememberedRequests = 10_000;
const defaults = { bookmarkIntervalMs: 5000, historyLimit: 10_000 };

/** Starts the API server. Throws the system's error when the given port can't be had, ApiError for a definition that is refused. */
export async function startApiServer(options: ApiServerOptions = {}): Promise<ApiServer> {
  const state = createState(options);
  const direct = createDirectAccess(state);
  for (const crd of options.crds ?? []) await direct.apply(crd);
  const front = createFront(state, options.token);
  const port = await listenOnLoopback(front.server, options.port);
  const url = `http://127.0.0.1:${port}`;
  return {
    ...direct,
    url,
    port,
    requests: front.requests,
    kubeconfig: ({ server = url } = {}) => kubeconfigText(server, options.token),
    compact() {
      state.storage.compact();
      state.pages.clear();
    },
    dropWatches: front.dropWatches,
    close: () => closeFront(front),
  };
}

function createState(options: ApiServerOptions): ClusterState {
  const { bookmarkIntervalMs = defaults.bookmarkIntervalMs, historyLimit = defaults.historyLimit } = options;
  // Starts at the time of day, so that a client of an earlier server on this port is told 410, not left to miss changes.
  // Counted in microseconds, because no server writes faster than that.
  const storage = new ObjectStorage(Date.now() * 1000, historyLimit);
  const state = { storage, catalog: new ResourceCatalog(), pages: new ListPages(), bookmarkIntervalMs };
  startStandingControllers(state);
  for (const name of ['default', 'kube-system']) createBuiltIn(state, { kind: 'Namespace', metadata: { name } });
  return state;
}

interface Front {
  readonly server: ReturnType<typeof createServer>;
  readonly requests: readonly ApiServerRequest[];
  readonly dropWatches: () => void;
}

function createFront(state: ClusterState, token: string | undefined): Front {
  const requests: ApiServerRequest[] = [];
  const endings = new Set<() => void>();
  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const response = await respond(state, incoming, token);
    requests.push(seen(incoming, response.kind === 'watch' ? 200 : response.status));
    if (requests.length > 2 * rememberedRequests) requests.splice(0, rememberedRequests);
    if (outgoing.destroyed) return;
    if (response.kind === 'answer') {
      sendAnswer(outgoing, response);
      return;
    }
    const end = sendWatch(outgoing, response, () => endings.delete(end));
    endings.add(end);
  }
  const server = createServer((incoming, outgoing) => {
    // A client that leaves while its body is read has nobody to answer to.
    serve(incoming, outgoing).catch(() => outgoing.destroy());
  });
  // Longer than any client keeps an idle connection, so that none is cut just as it is used again.
  server.keepAliveTimeout = 300_000;
  const dropWatches = (): void => {
    for (const end of [...endings]) end();
  };
  return { server, requests, dropWatches };
}

async function respond(state: ClusterState, incoming: IncomingMessage, token: string | undefined) {
  try {
    const request = await readRequest(incoming);
    const isOpen = openPaths.some((path) => request.path === path || request.path.startsWith(`${path}/`));
    if (token !== undefined && !isOpen && incoming.headers.authorization !== `Bearer ${token}`) throw unauthorized();
    return answerRequest(state, request);
  } catch (error) {
    if (error instanceof ApiError) return answer(error.toStatus(), error.code);
    throw error;
  }
}

function seen({ method = 'GET', url = '/', headers }: IncomingMessage, status: number): ApiServerRequest {
  const [path = '/', ...query] = url.split('?');
  return { method, path, query: query.join('?'), status, userAgent: headers['user-agent'] ?? '' };
}

function closeFront({ server, dropWatches }: Front): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
    dropWatches();
    server.closeAllConnections();
  });
}
