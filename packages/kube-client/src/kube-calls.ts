import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Clock, type Pace, type Random, retry, type RetryOptions } from '@buildkeeper/retry-policy';
import type { KubeObserver } from './observer.ts';
import type { KubeAnswer, KubeRequest, KubeTransport } from './transport.ts';
import { startWatchdog } from './watchdog.ts';

/** How calls are repeated and limited. */
export interface KubeCallsOptions {
  readonly transport: KubeTransport;
  readonly clock: Clock;
  readonly random: Random;
  readonly observer?: KubeObserver;
  /** A whole attempt, with its wait for a free connection. */
  readonly totalMs: number;
  readonly maxAttempts: number;
  readonly pace: Pace;
}

/** Waits between the attempts of one call add up to at most this. */
const maxTotalDelayMs = 5000;

/** Short exchanges with a JSON answer: each attempt has a deadline, idempotent ones are repeated in place. */
export class KubeCalls {
  readonly #options: KubeCallsOptions;

  constructor(options: KubeCallsOptions) {
    this.#options = options;
  }

  /** Sends and reads. Whatever it throws is a KubeError; of class `aborted` once the signal has aborted. */
  async call(request: KubeRequest, signal: AbortSignal): Promise<unknown> {
    try {
      return await retry(() => this.#attempt(request, signal), this.#retryOptions(signal));
    } catch (error) {
      // The wait between two attempts ends with the signal's bare reason.
      throw this.#options.transport.judged(request, error, signal);
    }
  }

  async #attempt(request: KubeRequest, signal: AbortSignal): Promise<unknown> {
    const { transport, totalMs, clock } = this.#options;
    const deadline = startWatchdog({ name: 'time of a call', ms: totalMs }, signal, clock);
    try {
      return await this.#read(request, await transport.send(request, deadline.signal));
    } catch (error) {
      throw transport.judged(request, error, deadline.signal);
    } finally {
      deadline.stop();
    }
  }

  async #read(request: KubeRequest, answer: KubeAnswer): Promise<unknown> {
    const text = await answer.body.text();
    // undici gives a connection back one turn of the event loop after its answer: a call made at once would open another.
    await nextTurn();
    try {
      return JSON.parse(text);
    } catch {
      throw this.#options.transport.failure(request, { kind: 'malformed', detail: 'not JSON' });
    }
  }

  #retryOptions(signal: AbortSignal): RetryOptions {
    const { clock, random, observer, maxAttempts, pace, transport } = this.#options;
    return {
      maxAttempts,
      pace,
      maxTotalDelayMs,
      signal,
      clock,
      random,
      onRetry: ({ reason }, delayMs) => observer?.retryScheduled?.({ host: transport.host, reason, delayMs }),
    };
  }
}
