import { backoffDelayMs, type Pace } from './backoff.ts';
import type { Clock, Random } from './clock.ts';
import { failureOf, type Failure } from './failure.ts';

/** How one request may be repeated inside a reconcile. */
export interface RetryOptions {
  /** Attempts in all, from 1. */
  readonly maxAttempts: number;
  readonly pace: Pace;
  /** The waits between the attempts of one call add up to at most this. */
  readonly maxTotalDelayMs: number;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly random: Random;
  /** Told of each retry once its delay is decided, before the wait. */
  readonly onRetry?: (failure: Failure, delayMs: number) => void;
}

/** A server that asks for no more than this is waited for inside the request. */
const shortRetryAfterMs = 2000;

/**
 * The one retry loop: runs `operation` until it succeeds, until its failure may not be repeated in place, until
 * the attempts or the time are used up, or until the signal aborts. Throws what the last attempt threw.
 * Only failures with `inRequestRetry: 'safe'` are repeated, and throttled ones only on a short Retry-After.
 */
export async function retry<T>(operation: (attempt: number) => Promise<T>, options: RetryOptions): Promise<T> {
  let waitedMs = 0;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await operation(attempt);
    } catch (error) {
      const failure = failureOf(error);
      const delayMs = failure === undefined ? undefined : inRequestDelayMs(failure, attempt, options);
      const isSpent = attempt >= options.maxAttempts || options.signal.aborted;
      if (failure === undefined || delayMs === undefined || isSpent) throw error;
      if (waitedMs + delayMs > options.maxTotalDelayMs) throw error;
      waitedMs += delayMs;
      options.onRetry?.(failure, delayMs);
      await options.clock.sleep(delayMs, options.signal);
    }
  }
}

function inRequestDelayMs(failure: Failure, attempt: number, options: RetryOptions): number | undefined {
  if (failure.inRequestRetry === 'never' || failure.class === 'aborted') return undefined;
  const ownMs = backoffDelayMs(options.pace, attempt - 1, options.random);
  if (failure.retryAfterMs === undefined) return failure.class === 'throttled' ? undefined : ownMs;
  return failure.retryAfterMs > shortRetryAfterMs ? undefined : Math.max(ownMs, failure.retryAfterMs);
}
