import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

/** A request as the server saw it. */
export interface SeenRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Answers one request. */
export type Script = (request: SeenRequest, response: ServerResponse) => void;

/** An HTTP server that does exactly as it is told, for registries that nobody would write on purpose. */
export interface ScriptedServer {
  /** `127.0.0.1:PORT`. */
  readonly host: string;
  /** With the scheme. */
  readonly url: string;
  readonly requests: readonly SeenRequest[];
  /** "METHOD /path?query" of every request so far. */
  lines(): readonly string[];
  connectionCount(): number;
  close(): Promise<void>;
}

/** Starts a server that hands each request, once its body has arrived, to the script. */
export async function startScriptedServer(
  script: Script,
  options: { readonly tls?: { readonly key: string; readonly cert: string }; readonly address?: string } = {},
): Promise<ScriptedServer> {
  const requests: SeenRequest[] = [];
  let connections = 0;
  const server: Server = options.tls === undefined ? createServer() : createTlsServer(options.tls);
  server.on('connection', () => (connections += 1));
  server.on('request', (request, response) => {
    const chunks: Buffer[] = [];
    request.on('error', () => undefined);
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const seen = { method, url, headers, body: Buffer.concat(chunks) };
      requests.push(seen);
      script(seen, response);
    });
  });
  server.listen(0, options.address ?? '127.0.0.1');
  await once(server, 'listening');
  const { port, address, family } = server.address() as AddressInfo;
  const host = family === 'IPv6' ? `[${address}]:${port}` : `${address}:${port}`;
  return {
    host,
    url: `${options.tls === undefined ? 'http' : 'https'}://${host}`,
    requests,
    lines: () => requests.map(({ method, url }) => `${method} ${url}`),
    connectionCount: () => connections,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Answers with JSON. */
export function sendJson(
  response: ServerResponse,
  value: unknown,
  head: { readonly status?: number; readonly headers?: Readonly<Record<string, string>> } = {},
): void {
  const bytes = Buffer.from(JSON.stringify(value));
  response.writeHead(head.status ?? 200, {
    'content-type': 'application/json',
    'content-length': bytes.length,
    ...head.headers,
  });
  response.end(bytes);
}
