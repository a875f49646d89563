import { type Clock, failureOf, parseRetryAfterMs } from '@buildkeeper/retry-policy';
import { type Dispatcher } from 'undici';
import { type Attempt, classify, type KubeFault } from './classify.ts';
import { ConnectionPools, type ConnectionLimits, type Lane } from './connection-pools.ts';
import { KubeError } from './kube-error.ts';
import type { KubeCredentials, KubeTarget } from './kube-target.ts';
import type { KubeObserver } from './observer.ts';
import { readStatus } from './status-body.ts';
import { LimitReached } from './watchdog.ts';

/** One request to the API server. */
export interface KubeRequest {
  /** Verb and object for messages, as in `get v1 secrets team/one`. */
  readonly action: string;
  readonly verb: 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly accept?: string;
  readonly body?: { readonly contentType: string; readonly json: unknown };
}

/** An answer of status 2xx, its body unread: whoever takes it must read or destroy it. */
export type KubeAnswer = Dispatcher.ResponseData;

/** What the transport is made of. */
export interface TransportOptions {
  readonly target: KubeTarget;
  readonly clock: Clock;
  readonly observer?: KubeObserver;
  readonly userAgent: string;
  readonly limits: ConnectionLimits;
}

const methods = { get: 'GET', list: 'GET', watch: 'GET', create: 'POST', update: 'PUT', patch: 'PATCH' } as const;

/** Sends single requests over pooled connections, and throws a KubeError for everything but 2xx. Repeats only after a 401. */
export class KubeTransport {
  /** `scheme://host:port` of the API server. */
  readonly origin: string;
  /** `host:port`, for labels. */
  readonly host: string;
  readonly #options: TransportOptions;
  readonly #pools: ConnectionPools;

  constructor(options: TransportOptions) {
    const url = new URL(options.target.server);
    this.origin = url.origin;
    this.host = url.host;
    this.#options = options;
    this.#pools = new ConnectionPools(options.limits, options.target.proxyUrl);
  }

  /** One exchange. A 401 makes the credentials be read anew and the request be sent once more. */
  async send(request: KubeRequest, signal: AbortSignal): Promise<KubeAnswer> {
    const first = await this.#exchange(request, signal);
    const answer = first.answer.statusCode === 401 ? await this.#sendAgain(request, first, signal) : first.answer;
    if (answer.statusCode >= 200 && answer.statusCode < 300) return answer;
    throw await this.#refusal(request, answer);
  }

  /** Judges what was thrown while an answer was waited for or read; what is judged already stays as it is. */
  judged(request: KubeRequest, error: unknown, signal: AbortSignal): unknown {
    if (failureOf(error) !== undefined) return error;
    if (!signal.aborted) return this.failure(request, { kind: 'network', error });
    const reason: unknown = signal.reason;
    if (reason instanceof LimitReached) return this.failure(request, { kind: 'timeout', limit: reason.limit });
    return this.failure(request, { kind: 'aborted', error: reason });
  }

  /** The error that stands for the fault. */
  failure(request: KubeRequest, fault: KubeFault): KubeError {
    const statusReason = fault.kind === 'status' ? fault.body?.reason : undefined;
    return new KubeError(classify(fault, this.#attempt(request)), statusReason);
  }

  /** Cuts every connection; running requests fail. */
  close(): Promise<void> {
    return this.#pools.close();
  }

  async #sendAgain(request: KubeRequest, first: Exchange, signal: AbortSignal): Promise<KubeAnswer> {
    const refused = await this.#refusal(request, first.answer);
    try {
      this.#options.target.refresh(first.credentials);
    } catch {
      // The kubeconfig cannot be read just now. The refusal says more than that.
      throw refused;
    }
    return (await this.#exchange(request, signal)).answer;
  }

  async #exchange(request: KubeRequest, signal: AbortSignal): Promise<Exchange> {
    const credentials = await this.#credentials(request, signal);
    const startedMs = this.#options.clock.monotonicMs();
    try {
      const answer = await this.#dispatch(request, credentials, signal);
      this.#observe(request, `${answer.statusCode}`, startedMs);
      return { answer, credentials };
    } catch (error) {
      const isStopped = signal.aborted && !(signal.reason instanceof LimitReached);
      if (!isStopped) this.#observe(request, '<error>', startedMs);
      throw this.judged(request, error, signal);
    }
  }

  async #credentials(request: KubeRequest, signal: AbortSignal): Promise<KubeCredentials> {
    try {
      return await this.#options.target.credentials(signal);
    } catch (error) {
      if (signal.aborted) throw this.judged(request, error, signal);
      throw this.failure(request, { kind: 'credentials', error });
    }
  }

  #url(request: KubeRequest): URL {
    const url = new URL(this.#options.target.server + request.path);
    for (const [name, value] of Object.entries(request.query ?? {})) url.searchParams.set(name, value);
    return url;
  }

  #dispatch(request: KubeRequest, { headers, tls }: KubeCredentials, signal: AbortSignal) {
    const lane: Lane = request.verb === 'watch' ? 'watch' : 'call';
    const url = this.#url(request);
    return this.#pools.dispatcher(lane, tls).request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: methods[request.verb],
      signal,
      headers: {
        accept: request.accept ?? 'application/json',
        'user-agent': this.#options.userAgent,
        ...(request.body === undefined ? {} : { 'content-type': request.body.contentType }),
        ...headers,
      },
      body: request.body === undefined ? null : JSON.stringify(request.body.json),
      // A watch is silent for minutes by nature; its reader has a limit of its own.
      ...(lane === 'watch' ? { bodyTimeout: 0 } : {}),
    });
  }

  #observe(request: KubeRequest, code: string, startedMs: number): void {
    this.#options.observer?.requestFinished({
      method: methods[request.verb],
      verb: request.verb,
      host: this.host,
      code,
      durationMs: this.#options.clock.monotonicMs() - startedMs,
    });
  }

  async #refusal(request: KubeRequest, answer: KubeAnswer): Promise<KubeError> {
    const retryAfterMs = parseRetryAfterMs(
      headerOf(answer, 'retry-after'),
      headerOf(answer, 'date'),
      this.#options.clock.nowMs(),
    );
    const body = await readStatus(answer.body);
    return this.failure(request, { kind: 'status', status: answer.statusCode, retryAfterMs, body });
  }

  #attempt(request: KubeRequest): Attempt {
    // A repeated PUT or PATCH carries the resourceVersion it was made from: at worst it becomes a conflict.
    return { action: request.action, origin: this.origin, isIdempotent: request.verb !== 'create' };
  }
}

interface Exchange {
  readonly answer: KubeAnswer;
  readonly credentials: KubeCredentials;
}

function headerOf(answer: KubeAnswer, name: string): string | undefined {
  const value = answer.headers[name];
  return Array.isArray(value) ? value[0] : value;
}
