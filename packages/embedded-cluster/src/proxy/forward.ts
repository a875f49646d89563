import { type IncomingMessage, request as httpRequest, type ServerResponse } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { type Readable, type Transform, type Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { createBitFlipper, createLimit, createThrottle } from './body-streams.ts';
import { type Backend, type ProxyConnection } from './connection.ts';
import { type FaultAction } from './fault-rules.ts';

/** One request at the proxy and what is known of it. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly connection: ProxyConnection;
  readonly action: FaultAction | undefined;
  /** Called with the status that is sent to the client. */
  readonly onStatus: (status: number) => void;
}

/** Passes a request to the backend and its answer back, with the fault of the exchange, if it is one about bytes that pass. */
export function forward(exchange: Exchange, backend: Backend): void {
  const { request, response, connection, action } = exchange;
  const send = backend.usesTls ? httpsRequest : httpRequest;
  const upstream = send({
    host: '127.0.0.1',
    port: backend.port,
    agent: connection.agent,
    method: request.method,
    path: request.url,
    headers: endToEndHeaders(request.rawHeaders),
  });
  connection.track(upstream, response);
  upstream.on('error', () => {
    if (!response.headersSent) connection.reset();
  });
  upstream.on('response', (answer) => {
    sendAnswer(answer, exchange);
  });
  response.on('close', () => {
    if (!response.writableFinished) upstream.destroy();
  });
  pipeThrough(request, uploadFilters(action, connection), upstream);
}

function sendAnswer(answer: IncomingMessage, { response, connection, action, onStatus }: Exchange): void {
  answer.on('error', () => {
    connection.reset();
  });
  if (action?.kind === 'loseAnswer') {
    connection.reset();
    return;
  }
  const headers = endToEndHeaders(answer.rawHeaders);
  const status = answer.statusCode ?? 502;
  onStatus(status);
  response.sendDate = false;
  response.writeHead(
    status,
    answer.statusMessage,
    action?.kind === 'headers' ? withHeaders(headers, action.set) : headers,
  );
  // A watch sends its head long before its first event.
  response.flushHeaders();
  if ((action?.kind === 'cutBody' || action?.kind === 'stallBody') && action.afterBytes === 0) {
    onBodyLimit(action.kind, connection);
    return;
  }
  pipeThrough(answer, downloadFilters(action, connection), response);
}

function uploadFilters(action: FaultAction | undefined, connection: ProxyConnection): Transform[] {
  if (action?.kind === 'slow') return [createThrottle(action.bytesPerSecond)];
  if (action?.kind !== 'cutUpload') return [];
  return [
    createLimit(action.afterBytes, () => {
      void resetSoon(connection);
    }),
  ];
}

function downloadFilters(action: FaultAction | undefined, connection: ProxyConnection): Transform[] {
  switch (action?.kind) {
    case 'slow':
      return [createThrottle(action.bytesPerSecond)];
    case 'wrongBytes':
      return [createBitFlipper()];
    case 'cutBody':
    case 'stallBody':
      return [
        createLimit(action.afterBytes, () => {
          onBodyLimit(action.kind, connection);
        }),
      ];
    default:
      return [];
  }
}

function onBodyLimit(kind: 'cutBody' | 'stallBody', connection: ProxyConnection): void {
  if (kind === 'cutBody') void resetSoon(connection);
}

/** An RST overtakes bytes that are still queued; the peer gets a moment to read what it shall see. */
async function resetSoon(connection: ProxyConnection): Promise<void> {
  await connection.drained();
  await delay(20);
  connection.reset();
}

function pipeThrough(source: Readable, filters: readonly Transform[], target: Writable): void {
  filters.reduce<Readable>((from, filter) => from.pipe(filter), source).pipe(target);
  // A filter that still holds bytes back has nobody left to give them to.
  target.once('close', () => {
    for (const filter of filters) filter.destroy();
  });
}

/** Headers that belong to one connection only; each side has its own. Keep-Alive passes: the two connections end together. */
const hopByHop = new Set(['proxy-connection', 'upgrade', 'expect']);

/** Flat name and value list without what concerns one hop; the body's framing stays as it is. */
function endToEndHeaders(rawHeaders: readonly string[]): string[] {
  return rawHeaders.filter((_, index) => {
    const name = rawHeaders[index - (index % 2)]?.toLowerCase() ?? '';
    const value = rawHeaders[index - (index % 2) + 1]?.toLowerCase();
    return !hopByHop.has(name) && !(name === 'connection' && value !== 'close');
  });
}

function withHeaders(rawHeaders: readonly string[], set: Readonly<Record<string, string | undefined>>): string[] {
  const names = new Set(Object.keys(set).map((name) => name.toLowerCase()));
  const kept = rawHeaders.filter((_, index) => !names.has(rawHeaders[index - (index % 2)]?.toLowerCase() ?? ''));
  const added = Object.entries(set).flatMap(([name, value]) => (value === undefined ? [] : [name, value]));
  return [...kept, ...added];
}
