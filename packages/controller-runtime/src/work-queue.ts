import type { QueueObserver } from '@buildkeeper/metrics';
import { maxDelayMs, type Clock } from '@buildkeeper/retry-policy';
import { DelayHeap } from './delay-heap.ts';

/** A key that a worker was given. It must be given back by `done`. */
export interface WorkItem {
  readonly key: string;
  /** A delay that was set for the key had run out; false when only events brought it here, before its time. */
  readonly isDue: boolean;
}

/** What a work queue needs. */
export interface WorkQueueDeps {
  readonly clock: Clock;
  readonly observer: QueueObserver;
}

interface Ready {
  readonly sinceMs: number;
  isDue: boolean;
}

/**
 * Keys that wait for a worker, each at most once, and with at most one worker on it: a key that is added while it is
 * worked on comes out once more afterwards. Handing a key out forgets its delay, so whoever works on it sets the next.
 */
export class WorkQueue {
  readonly #deps: WorkQueueDeps;
  readonly #ready = new Map<string, Ready>();
  readonly #running = new Map<string, number>();
  /** Added again while running; the value is `isDue`. */
  readonly #again = new Map<string, boolean>();
  readonly #delayed = new DelayHeap();
  readonly #takers: ((item: WorkItem) => void)[] = [];
  readonly #stop = new AbortController();
  #alarm: { readonly dueMs: number; readonly cancel: AbortController } | undefined;

  constructor(deps: WorkQueueDeps) {
    this.#deps = deps;
  }

  /** Makes a key ready now. */
  add(key: string): void {
    this.#makeReady(key, false);
  }

  /** Makes a key ready after a delay of at most 24 h. An earlier time that is set already wins. */
  addAfter(key: string, delayMs: number): void {
    if (delayMs > 0) this.#deps.observer.delayed();
    const dueMs = this.#deps.clock.monotonicMs() + Math.min(Math.max(0, delayMs), maxDelayMs);
    this.#delayed.setEarlier(key, dueMs);
    this.#promoteDue(this.#deps.clock.monotonicMs());
  }

  /** The next key, oldest first; waits for one. Rejects with the signal's reason when it aborts first. */
  take(signal: AbortSignal): Promise<WorkItem> {
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        const at = this.#takers.indexOf(taker);
        if (at >= 0) this.#takers.splice(at, 1);
        reject(signal.reason as Error);
      };
      const taker = (item: WorkItem) => {
        signal.removeEventListener('abort', onAbort);
        resolve(item);
      };
      if (signal.aborted) {
        reject(signal.reason as Error);
        return;
      }
      signal.addEventListener('abort', onAbort, { once: true });
      this.#takers.push(taker);
      this.#handOut();
    });
  }

  /** Gives a key back; it is ready again when it was added meanwhile. */
  done(key: string): void {
    const sinceMs = this.#running.get(key);
    if (sinceMs === undefined) return;
    this.#running.delete(key);
    this.#deps.observer.finished(this.#deps.clock.monotonicMs() - sinceMs);
    const isDue = this.#again.get(key);
    if (isDue === undefined) return;
    this.#again.delete(key);
    this.#makeReady(key, isDue);
  }

  /** Drops what is planned for a key, for an object that is gone. A worker that has it still gives it back. */
  forget(key: string): void {
    this.#ready.delete(key);
    this.#again.delete(key);
    this.#delayed.delete(key);
  }

  /** Stops the timer. Nothing that is delayed becomes ready any more. */
  close(): void {
    this.#stop.abort();
    this.#alarm?.cancel.abort();
  }

  /** Whether a worker has the key. */
  isRunning(key: string): boolean {
    return this.#running.has(key);
  }

  /** Number of keys that are ready and not handed out. */
  get depth(): number {
    return this.#ready.size;
  }

  /** Number of keys that wait for a delay to run out. */
  get delayedCount(): number {
    return this.#delayed.size;
  }

  /** Ages of the keys that workers have. */
  get workAgesMs(): readonly number[] {
    const nowMs = this.#deps.clock.monotonicMs();
    return [...this.#running.values()].map((sinceMs) => nowMs - sinceMs);
  }

  #makeReady(key: string, isDue: boolean): void {
    if (this.#running.has(key)) {
      this.#again.set(key, isDue || this.#again.get(key) === true);
      return;
    }
    const known = this.#ready.get(key);
    if (known !== undefined) {
      known.isDue ||= isDue;
      return;
    }
    this.#ready.set(key, { sinceMs: this.#deps.clock.monotonicMs(), isDue });
    this.#deps.observer.added();
    this.#handOut();
  }

  #handOut(): void {
    for (const [key, { sinceMs, isDue }] of this.#ready) {
      const taker = this.#takers.shift();
      if (taker === undefined) return;
      const nowMs = this.#deps.clock.monotonicMs();
      this.#ready.delete(key);
      this.#delayed.delete(key);
      this.#running.set(key, nowMs);
      this.#deps.observer.started(nowMs - sinceMs);
      taker({ key, isDue });
    }
  }

  #promoteDue(nowMs: number): void {
    for (let key = this.#delayed.takeDue(nowMs); key !== undefined; key = this.#delayed.takeDue(nowMs)) {
      this.#makeReady(key, true);
    }
    this.#setAlarm();
  }

  /** One timer for all delays, set to the earliest. */
  #setAlarm(): void {
    const dueMs = this.#delayed.nextDueMs();
    if (dueMs === undefined || this.#stop.signal.aborted) return;
    if (this.#alarm !== undefined && this.#alarm.dueMs <= dueMs) return;
    this.#alarm?.cancel.abort();
    const alarm = { dueMs, cancel: new AbortController() };
    this.#alarm = alarm;
    const { clock } = this.#deps;
    const onDue = () => {
      if (this.#alarm !== alarm) return;
      this.#alarm = undefined;
      // By rounding, a timer may end a hair before the time it was set to; to set it again for that hair leads nowhere.
      this.#promoteDue(Math.max(dueMs, clock.monotonicMs()));
    };
    // Aborted only by an earlier alarm or by close().
    void clock.sleep(dueMs - clock.monotonicMs(), alarm.cancel.signal).then(onDue, () => undefined);
  }
}
