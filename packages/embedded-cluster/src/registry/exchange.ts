import { type IncomingHttpHeaders } from 'node:http';

/** One request as the handlers see it. */
export interface Exchange {
  readonly method: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** The request's body, piece by piece; read once. */
  readonly body: AsyncIterable<Buffer>;
  /** Scheme and host that the client used; locations lead back there, through a proxy too. */
  readonly baseUrl: string;
}

/** What is answered. A body is left out for HEAD, its length is not. */
export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | number>>;
  readonly body?: Uint8Array | string;
}

/** Reads a body to its end. */
export async function readBody(exchange: Exchange): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of exchange.body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Headers and body of a JSON answer as docker-registry writes it: one line. */
export function jsonReply(content: unknown, headers: Reply['headers'] = {}): Omit<Reply, 'status'> {
  const body = `${JSON.stringify(content)}\n`;
  return { headers: { 'Content-Type': 'application/json; charset=utf-8', ...headers }, body };
}

/** The answer to a method that a path does not have. */
export function methodNotAllowed(allowed: string): Reply {
  const headers = { Allow: allowed, 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff' };
  return { status: 405, headers, body: 'Method not allowed\n' };
}
