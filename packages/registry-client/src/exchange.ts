import type { Readable } from 'node:stream';
import type { Connections } from './connections.ts';
import { RegistryError, WireFault, type FaultSite, type HostRole, type RegistryOperation } from './errors.ts';
import { settingsFor, type RegistryClientOptions } from './options.ts';
import { WireResponse, type BodyEnd } from './response.ts';

/** A request body that can be sent again: it is opened for each exchange. */
export interface RequestBody {
  readonly sizeBytes: number;
  open(): Promise<Uint8Array | Readable> | Uint8Array;
}

/** One request, before redirects. */
export interface WireRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: RequestBody;
  readonly operation: RegistryOperation;
  readonly role: HostRole;
  readonly signal: AbortSignal;
}

/**
 * Sends one request and waits for the head of its answer. The observer is told once, when the body has ended too.
 * Any status is an answer. Throws WireFault, or the RegistryError of a body that could not be opened or read.
 */
export async function exchange(
  request: WireRequest,
  connections: Connections,
  options: RegistryClientOptions,
): Promise<WireResponse> {
  const { url, method, operation, role } = request;
  const site: FaultSite = { origin: url.origin, role, operation, method };
  const settings = settingsFor(options, url);
  const body = await request.body?.open();
  request.signal.throwIfAborted();
  const deadline = startDeadline(settings.totalTimeoutMs, request.signal, options);
  const report = reporter(request, deadline, options);
  const faultOf = (error: unknown, hasResponse: boolean) =>
    new WireFault(deadline.isOver() ? { kind: 'overdue' } : { kind: 'broken', error, hasResponse }, site);
  try {
    const answer = await connections.for(body).request({
      origin: url.origin,
      path: url.pathname + url.search,
      method,
      headers: { ...request.headers, ...(request.body && { 'content-length': String(request.body.sizeBytes) }) },
      body: body ?? null,
      signal: deadline.signal,
      // undici gives a connection up after a HEAD unless told otherwise, and HEAD is what an unchanged image costs.
      reset: false,
      headersTimeout: settings.headersTimeoutMs,
      bodyTimeout: settings.bodyTimeoutMs,
    });
    const end = endOf(answer, report, (error) => faultOf(error, true));
    return new WireResponse({ status: answer.statusCode, url, headers: answer.headers }, answer.body, site, end);
  } catch (error) {
    report('<error>');
    throw error instanceof RegistryError ? error : faultOf(error, false);
  }
}

/** Reports the exchange once, and ends its deadline. An exchange that was stopped counts as broken. */
function reporter(request: WireRequest, deadline: Deadline, options: RegistryClientOptions): (code: string) => void {
  const startedMs = options.clock.monotonicMs();
  const { url, operation, signal } = request;
  let isReported = false;
  return (code) => {
    if (isReported) return;
    isReported = true;
    const isStopped = signal.aborted || deadline.isOver();
    const durationMs = options.clock.monotonicMs() - startedMs;
    options.observer?.requestFinished({ host: url.host, operation, code: isStopped ? '<error>' : code, durationMs });
    deadline.cancel();
  };
}

function endOf(
  answer: { readonly statusCode: number; readonly body: Readable },
  report: (code: string) => void,
  faultOf: (error: unknown) => WireFault,
): BodyEnd {
  const onBroken = () => {
    report('<error>');
  };
  // A body that breaks while nobody reads from it would otherwise throw out of nowhere.
  answer.body.once('error', onBroken);
  const onDone = () => {
    report(String(answer.statusCode));
  };
  return { onBroken, onDone, faultOf };
}

interface Deadline {
  readonly signal: AbortSignal;
  readonly isOver: () => boolean;
  readonly cancel: () => void;
}

function startDeadline(timeoutMs: number | undefined, signal: AbortSignal, options: RegistryClientOptions): Deadline {
  if (timeoutMs === undefined) return { signal, isOver: () => false, cancel: () => undefined };
  const over = new AbortController();
  const cancel = new AbortController();
  options.clock.sleep(timeoutMs, cancel.signal).then(
    () => {
      over.abort(new Error('total time-out'));
    },
    () => undefined,
  );
  return {
    signal: AbortSignal.any([signal, over.signal]),
    isOver: () => over.signal.aborted && !signal.aborted,
    cancel: () => {
      cancel.abort();
    },
  };
}
