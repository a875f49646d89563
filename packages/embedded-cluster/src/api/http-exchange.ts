import { type IncomingMessage, type ServerResponse } from 'node:http';
import { type ApiAnswer, type ApiRequest, type ApiWatch } from './api-request.ts';
import { badRequest, tooLarge } from './statuses.ts';

const maxBodyBytes = 3 * 1024 * 1024;
/** A watcher that reads this much slower than it is written to is cut off, as a real server does. */
const maxUnreadBytes = 64 * 1024 * 1024;

/** The request with its whole body. Throws 400, and 413 for a body of more than 3 MiB. */
export async function readRequest(incoming: IncomingMessage): Promise<ApiRequest> {
  const url = URL.parse(incoming.url ?? '/', 'http://localhost');
  if (!url) throw badRequest('the request has no readable path');
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes <= maxBodyBytes) chunks.push(chunk);
  }
  if (sizeBytes > maxBodyBytes) throw tooLarge(maxBodyBytes);
  return {
    method: incoming.method ?? 'GET',
    path: url.pathname,
    query: url.searchParams,
    accept: incoming.headers.accept ?? '',
    contentType: incoming.headers['content-type'] ?? '',
    body: Buffer.concat(chunks),
  };
}

/** Sends a complete answer. */
export function sendAnswer(outgoing: ServerResponse, { status, body, contentType, warnings = [] }: ApiAnswer): void {
  const payload = contentType === undefined ? JSON.stringify(body) : toPayload(body);
  if (warnings.length > 0)
    outgoing.setHeader(
      'Warning',
      warnings.map((text) => `299 - ${JSON.stringify(text)}`),
    );
  outgoing.writeHead(status, {
    'Content-Type': contentType ?? 'application/json',
    'Content-Length': Buffer.byteLength(payload),
    'Cache-Control': 'no-cache, private',
  });
  outgoing.end(payload);
}

function toPayload(body: unknown): string | Buffer {
  return Buffer.isBuffer(body) ? body : String(body);
}

/** Sends a watch until one side ends it. Returns what ends it from here; `onEnd` is told in every case. */
export function sendWatch(outgoing: ServerResponse, watch: ApiWatch, onEnd: () => void): () => void {
  outgoing.writeHead(200, { 'Content-Type': 'application/json', 'Cache-Control': 'no-cache, private' });
  outgoing.flushHeaders();
  const stop = watch.start({
    write(line) {
      if (outgoing.writableLength > maxUnreadBytes) outgoing.destroy();
      else if (!outgoing.writableEnded) outgoing.write(`${line}\n`);
    },
    end: () => outgoing.end(),
  });
  outgoing.once('close', () => {
    stop();
    onEnd();
  });
  return () => {
    stop();
    outgoing.end();
  };
}
