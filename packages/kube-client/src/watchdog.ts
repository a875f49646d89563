import type { Clock } from '@buildkeeper/retry-policy';

/** The reason of a signal that one of our own limits has aborted. */
export class LimitReached extends Error {
  /** Which limit, for messages: `time of a call`. */
  readonly limit: string;

  constructor(limit: string) {
    super(`The ${limit} ran out`);
    this.name = 'LimitReached';
    this.limit = limit;
  }
}

/** Ends what it guards when nothing has happened for too long, or when the caller stops. */
export interface Watchdog {
  /** Aborts with the caller's reason, or with LimitReached. */
  readonly signal: AbortSignal;
  /** Something happened: the limit counts from now. */
  touch(): void;
  /** Ends the guard; to be called in every case, else its timer stays. */
  stop(): void;
}

/** A limit and its name. */
export interface Limit {
  readonly name: string;
  readonly ms: number;
}

/** Starts to count at once. Never touched, it is a deadline; touched by every byte, a limit of silence. */
export function startWatchdog(limit: Limit, signal: AbortSignal, clock: Clock): Watchdog {
  const guarded = new AbortController();
  const timer = new AbortController();
  let lastMs = clock.monotonicMs();
  const onAbort = () => {
    guarded.abort(signal.reason);
    timer.abort();
  };
  const count = async () => {
    for (;;) {
      const leftMs = lastMs + limit.ms - clock.monotonicMs();
      if (leftMs <= 0) break;
      await clock.sleep(leftMs, timer.signal);
    }
    guarded.abort(new LimitReached(limit.name));
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  // Rejects only because the timer was stopped.
  count().catch(() => undefined);
  return {
    signal: guarded.signal,
    touch: () => (lastMs = clock.monotonicMs()),
    stop: () => {
      signal.removeEventListener('abort', onAbort);
      timer.abort();
    },
  };
}
