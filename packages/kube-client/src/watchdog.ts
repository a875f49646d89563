import type { Clock } from '@buildkeeper/retry-policy';

/** Ends what it guards when nothing has happened for too long, or when the caller stops. */
export interface Watchdog {
  /** Aborts with the caller's reason, or because the limit ran out. */
  readonly signal: AbortSignal;
  /** Whether it was the limit that ended it. */
  readonly isExpired: boolean;
  /** Something happened: the limit counts from now. */
  touch(): void;
  /** Ends the watch over time; to be called in every case, else the timer stays. */
  stop(): void;
}

/** Starts to count `limitMs` at once. Never touched, it is a deadline; touched by every byte, a limit of silence. */
export function startWatchdog(limitMs: number, signal: AbortSignal, clock: Clock): Watchdog {
  const guarded = new AbortController();
  const timer = new AbortController();
  let lastMs = clock.monotonicMs();
  let isExpired = false;
  const onAbort = () => {
    guarded.abort(signal.reason);
    timer.abort();
  };
  const count = async () => {
    for (;;) {
      const leftMs = lastMs + limitMs - clock.monotonicMs();
      if (leftMs <= 0) break;
      await clock.sleep(leftMs, timer.signal);
    }
    isExpired = true;
    guarded.abort(new Error('The limit ran out'));
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  // Rejects only because the timer was stopped.
  count().catch(() => undefined);
  return {
    signal: guarded.signal,
    get isExpired() {
      return isExpired;
    },
    touch: () => (lastMs = clock.monotonicMs()),
    stop: () => {
      signal.removeEventListener('abort', onAbort);
      timer.abort();
    },
  };
}
