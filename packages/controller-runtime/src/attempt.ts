import type { Clock } from '@buildkeeper/retry-policy';

/** How a piece of work ended. */
export type Attempt<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'threw'; readonly error: unknown }
  | { readonly kind: 'timedOut'; readonly afterMs: number }
  | { readonly kind: 'stopped' };

/** The bounds of a piece of work. */
export interface AttemptLimits {
  readonly timeoutMs: number;
  /** Aborted when the process or its leadership ends. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/**
 * Runs `operation` with a signal that aborts at the time limit or with `limits.signal`, and ends with it at the
 * latest, even when the operation ignores its signal: a hung one must not hold a worker. Never throws; this is the
 * one place on the way of a reconcile where anything is caught.
 */
export async function attempt<T>(
  operation: (signal: AbortSignal) => Promise<T>,
  { timeoutMs, signal: stop, clock }: AttemptLimits,
): Promise<Attempt<T>> {
  // Not AbortSignal.any: the signal of the process would keep each of those for as long as it lives.
  const work = new AbortController();
  const finished = new AbortController();
  const onStop = () => {
    work.abort(stop.reason);
  };
  stop.addEventListener('abort', onStop, { once: true });
  const expiry = expire(work, { timeoutMs, clock, finished: finished.signal });
  try {
    stop.throwIfAborted();
    return { kind: 'done', value: await Promise.race([operation(work.signal), rejection(work.signal)]) };
  } catch (error) {
    if (stop.aborted) return { kind: 'stopped' };
    return work.signal.aborted ? { kind: 'timedOut', afterMs: timeoutMs } : { kind: 'threw', error };
  } finally {
    stop.removeEventListener('abort', onStop);
    finished.abort();
    await expiry;
  }
}

function expire(
  work: AbortController,
  { timeoutMs, clock, finished }: { timeoutMs: number; clock: Clock; finished: AbortSignal },
): Promise<void> {
  return clock.sleep(timeoutMs, finished).then(
    () => {
      work.abort(new Error('The time for this attempt is over'));
    },
    () => undefined,
  );
}

function rejection(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const onAbort = () => {
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', onAbort, { once: true });
  });
}
