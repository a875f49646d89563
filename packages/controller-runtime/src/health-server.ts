import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { urlOf, type HttpAddress } from './http-address.ts';

/** What the server answers with. */
export interface HealthSources {
  render(): Promise<{ contentType: string; body: string }>;
  /** What keeps the process from being ready, for a person; empty when it is ready. */
  notReadyReasons(): readonly string[];
}

/** A running server. */
export interface HealthServer {
  /** Where this machine reaches it. */
  readonly url: string;
  /** From now on every answer closes its connection, and `/readyz` says no. */
  readonly drain: () => void;
  /** Stops listening and ends once the answers on their way are sent. */
  close(): Promise<void>;
}

/**
 * Serves `/metrics`, `/healthz` (the process runs) and `/readyz` (its caches are filled; a standby is ready too).
 * Rejects with the system's error when the address cannot be had.
 */
export async function startHealthServer(address: HttpAddress, sources: HealthSources): Promise<HealthServer> {
  const state = { isDraining: false };
  const server = createServer((request, response) => {
    // Nobody is left to be told: the connection is gone, or the sources broke their word.
    answer(request, response, { sources, isDraining: state.isDraining }).catch(() => response.destroy());
  });
  await listen(server, address);
  const { port } = server.address() as AddressInfo;
  return {
    url: urlOf({ host: address.host, port }),
    drain: () => {
      state.isDraining = true;
      server.closeIdleConnections();
    },
    close: () =>
      new Promise((resolve) => {
        state.isDraining = true;
        server.close(() => {
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
}

function listen(server: Server, { host, port }: HttpAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, ...(host === undefined ? {} : { host }) }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

interface Answer {
  readonly status: number;
  readonly contentType?: string;
  readonly body: string;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  options: { sources: HealthSources; isDraining: boolean },
): Promise<void> {
  const { status, contentType = 'text/plain; charset=utf-8', body } = await answerTo(request, options);
  // A keep-alive connection would outlive the listener for seconds.
  if (options.isDraining) response.setHeader('connection', 'close');
  response.writeHead(status, { 'content-type': contentType, 'content-length': Buffer.byteLength(body) });
  response.end(request.method === 'HEAD' ? undefined : body);
}

async function answerTo(
  { method = '', url = '' }: IncomingMessage,
  { sources, isDraining }: { sources: HealthSources; isDraining: boolean },
): Promise<Answer> {
  if (method !== 'GET' && method !== 'HEAD') return { status: 405, body: 'Only GET and HEAD\n' };
  switch (url.split('?', 1)[0]) {
    case '/metrics':
      return { status: 200, ...(await sources.render()) };
    case '/healthz':
      return { status: 200, body: 'ok\n' };
    case '/readyz': {
      const reasons = isDraining ? ['stopping'] : sources.notReadyReasons();
      return reasons.length === 0 ? { status: 200, body: 'ok\n' } : { status: 503, body: `${reasons.join('\n')}\n` };
    }
    default:
      return { status: 404, body: 'Not found; there are /metrics, /healthz and /readyz\n' };
  }
}
