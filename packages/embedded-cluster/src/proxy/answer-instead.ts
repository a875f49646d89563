import { type IncomingMessage, type ServerResponse } from 'node:http';
import { type ProxyConnection } from './connection.ts';
import { type FaultAction } from './fault-rules.ts';

/** The faults that the backend never hears of. */
export type OwnAnswer = Extract<FaultAction, { kind: 'reset' | 'hang' | 'status' | 'redirect' }>;

const ownKinds: readonly string[] = ['reset', 'hang', 'status', 'redirect'] satisfies OwnAnswer['kind'][];

/** Whether the proxy deals with the request alone. */
export function isOwnAnswer(action: FaultAction): action is OwnAnswer {
  return ownKinds.includes(action.kind);
}

/** Gives the client what the fault says in place of the backend's answer. */
export function answerInstead(exchange: OwnExchange, action: OwnAnswer): void {
  const { request, response, connection, onStatus } = exchange;
  if (action.kind === 'reset') {
    connection.reset();
    return;
  }
  // The upload is taken in, so that the client waits for an answer and not for room to write.
  request.resume();
  if (action.kind === 'hang') return;
  const { status, headers, body } = answerOf(action, request.url ?? '');
  request.on('end', () => {
    onStatus(status);
    response.writeHead(status, { 'content-length': Buffer.byteLength(body), ...headers });
    response.end(body);
  });
}

/** One request at the proxy that goes no further. */
export interface OwnExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly connection: ProxyConnection;
  /** Called with the status that is sent to the client. */
  readonly onStatus: (status: number) => void;
}

function answerOf(
  action: Extract<OwnAnswer, { status?: number }>,
  url: string,
): { status: number; headers: Readonly<Record<string, string>>; body: string } {
  if (action.kind === 'status')
    return { status: action.status, headers: action.headers ?? {}, body: action.body ?? '' };
  // As a function, since a dollar sign in the path means nothing here.
  return { status: action.status ?? 307, headers: { location: action.location.replace('{url}', () => url) }, body: '' };
}
