import { setTimeout as delay } from 'node:timers/promises';

/** Time and waiting, passed in everywhere, so that tests own both. */
export interface Clock {
  /** Milliseconds since the Unix epoch. May jump; for showing and storing times only. */
  nowMs(): number;
  /** Milliseconds from an arbitrary start; never jumps. For measuring durations and deadlines. */
  monotonicMs(): number;
  /** Resolves after `delayMs`; rejects with the signal's reason when it aborts first. Clamped to 24 h. */
  sleep(delayMs: number, signal: AbortSignal): Promise<void>;
}

/** A number in [0, 1). */
export type Random = () => number;

/** No wait is longer: Node fires a timer of more than 2^31-1 ms after 1 ms. */
export const maxDelayMs = 24 * 60 * 60 * 1000;

/** The clock of the machine. Made once, in the entry point. */
export function createSystemClock(): Clock {
  return {
    nowMs: () => Date.now(),
    monotonicMs: () => performance.now(),
    async sleep(delayMs, signal) {
      signal.throwIfAborted();
      try {
        await delay(Math.min(Math.max(0, delayMs), maxDelayMs), undefined, { signal });
      } catch (error) {
        signal.throwIfAborted();
        throw error;
      }
    },
  };
}

/** The random source of the machine. Made once, in the entry point. */
export function createSystemRandom(): Random {
  return () => Math.random();
}
