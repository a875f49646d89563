import { type Clock, parseRetryAfterMs } from '@buildkeeper/retry-policy';
import type { KubeObject } from './kube-object.ts';
import { LineSplitter } from './lines.ts';
import type { WatchEvent } from './watch-event.ts';
import { statusBodyFrom } from './status-body.ts';
import type { KubeRequest, KubeTransport } from './transport.ts';
import { startWatchdog, type Watchdog } from './watchdog.ts';

/** How long a watch may last and how long it may be silent. */
export interface WatchLimits {
  readonly timeoutSeconds: number;
  readonly silenceMs: number;
}

/** The largest object etcd stores by default has 1.5 MiB; escapes can multiply that. */
const maxLineBytes = 16 * 1024 * 1024;

/** A server that keeps a watch this much longer than asked does not keep to the time at all. */
const graceMs = 30_000;

/** Opens a watch and yields its events. An ERROR event is thrown as the KubeError it stands for. */
export async function* openWatch<T extends KubeObject>(
  request: KubeRequest,
  limits: WatchLimits,
  { transport, clock }: { readonly transport: KubeTransport; readonly clock: Clock },
  signal: AbortSignal,
): AsyncGenerator<WatchEvent<T>, void> {
  const lifeMs = limits.timeoutSeconds * 1000 + graceMs;
  const life = startWatchdog({ name: 'life of a watch', ms: lifeMs }, signal, clock);
  const silence = startWatchdog({ name: 'silence of a watch', ms: limits.silenceMs }, life.signal, clock);
  try {
    const answer = await transport.send(request, silence.signal);
    const lines = readLines(answer.body as AsyncIterable<Buffer>, silence);
    for await (const line of lines) yield parseEvent<T>(line, request, transport);
  } catch (error) {
    throw transport.judged(request, error, silence.signal);
  } finally {
    silence.stop();
    life.stop();
  }
}

async function* readLines(body: AsyncIterable<Buffer>, silence: Watchdog): AsyncGenerator<string> {
  const splitter = new LineSplitter(maxLineBytes);
  for await (const chunk of body) {
    silence.touch();
    yield* splitter.push(chunk);
  }
}

interface RawEvent<T> {
  readonly type?: string;
  readonly object?: Partial<T> & RawStatus;
}

interface RawStatus {
  readonly code?: number;
  readonly details?: { readonly retryAfterSeconds?: number };
}

function parseEvent<T extends KubeObject>(line: string, request: KubeRequest, transport: KubeTransport): WatchEvent<T> {
  const { type, object } = parseJson<T>(line) ?? {};
  if (type === 'ERROR' && object !== undefined) throw transport.failure(request, faultOf(object));
  const resourceVersion = object?.metadata?.resourceVersion;
  if (object === undefined || resourceVersion === undefined || !isEventType(type)) {
    throw transport.failure(request, { kind: 'malformed', detail: 'not a watch event' });
  }
  return type === 'BOOKMARK' ? { type, resourceVersion } : { type, object: object as T };
}

function faultOf(object: RawStatus) {
  const seconds = object.details?.retryAfterSeconds;
  return {
    kind: 'status',
    status: object.code ?? 500,
    retryAfterMs: parseRetryAfterMs(seconds === undefined ? undefined : `${seconds}`, undefined, 0),
    body: statusBodyFrom(object),
  } as const;
}

function parseJson<T>(line: string): RawEvent<T> | undefined {
  try {
    const parsed: unknown = JSON.parse(line);
    return typeof parsed === 'object' && parsed !== null ? parsed : undefined;
  } catch {
    // Judged by the caller, together with everything else that is no event.
    return undefined;
  }
}

function isEventType(type: string | undefined): type is WatchEvent<KubeObject>['type'] {
  return type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED' || type === 'BOOKMARK';
}
