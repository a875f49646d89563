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
  limits: AttemptLimits,
): Promise<Attempt<T>> {
  const { signal: stop, clock, timeoutMs } = limits;
  const deadline = new AbortController();
  const finished = new AbortController();
  const signal = AbortSignal.any([stop, deadline.signal]);
  const expiry = clock.sleep(timeoutMs, AbortSignal.any([stop, finished.signal])).then(
    () => {
      deadline.abort(new Error('The time for this attempt is over'));
    },
    () => undefined,
  );
  try {
    stop.throwIfAborted();
    return { kind: 'done', value: await Promise.race([operation(signal), rejection(signal)]) };
  } catch (error) {
    if (stop.aborted) return { kind: 'stopped' };
    return deadline.signal.aborted ? { kind: 'timedOut', afterMs: timeoutMs } : { kind: 'threw', error };
  } finally {
    finished.abort();
    await expiry;
  }
}

function rejection(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const onAbort = () => {
      reject(signal.reason as Error);
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
}
