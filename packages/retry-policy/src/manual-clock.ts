import type { Clock } from './clock.ts';

interface Sleeper {
  readonly dueMs: number;
  readonly wake: () => void;
}

/** A clock that moves only when it is told to: for tests. Wall time and monotonic time advance together. */
export class ManualClock implements Clock {
  #nowMs: number;
  readonly #startMs: number;
  #sleepers: Sleeper[] = [];

  constructor(startMs = Date.UTC(2026, 0, 1)) {
    this.#nowMs = startMs;
    this.#startMs = startMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  monotonicMs(): number {
    return this.#nowMs - this.#startMs;
  }

  /** How many waits are pending now. */
  get sleeperCount(): number {
    return this.#sleepers.length;
  }

  /** Milliseconds until the next pending wait ends, or undefined when nobody waits. */
  get nextDueInMs(): number | undefined {
    if (this.#sleepers.length === 0) return undefined;
    return Math.min(...this.#sleepers.map((sleeper) => sleeper.dueMs)) - this.#nowMs;
  }

  sleep(delayMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason as Error);
        return;
      }
      const forget = () => (this.#sleepers = this.#sleepers.filter((one) => one !== sleeper));
      const onAbort = () => {
        forget();
        reject(signal.reason as Error);
      };
      const sleeper: Sleeper = {
        dueMs: this.#nowMs + Math.max(0, delayMs),
        wake: () => {
          signal.removeEventListener('abort', onAbort);
          forget();
          resolve();
        },
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#sleepers.push(sleeper);
    });
  }

  /** Moves time on, waking every sleeper in the order of its due time and letting what it woke run in between. */
  async advance(byMs: number): Promise<void> {
    const endMs = this.#nowMs + byMs;
    await settle();
    for (;;) {
      const next = this.#sleepers.filter((one) => one.dueMs <= endMs).sort((a, b) => a.dueMs - b.dueMs)[0];
      if (next === undefined) break;
      this.#nowMs = Math.max(this.#nowMs, next.dueMs);
      next.wake();
      await settle();
    }
    this.#nowMs = endMs;
    await settle();
  }
}

/** Lets all promise reactions that are ready run. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
