import { historyFor, withBackoffReset, type History } from './history.ts';
import type { KubeObject } from '@buildkeeper/kube-client';
import type { Summary } from './summarize.ts';

/** A summary whose status could not be written yet. */
export interface PendingWrite {
  readonly summary: Summary;
  readonly uid: string;
  readonly generation: number | undefined;
  readonly request: string | undefined;
  /** Monotonic time at which the object is to be reconciled again anyway. */
  readonly dueMs: number;
  /** Writes that failed in a row. */
  readonly failures: number;
}

/** What one term of leadership remembers of each object, by key. */
export class ObjectMemory {
  readonly #histories = new Map<string, History>();
  readonly #pending = new Map<string, PendingWrite>();
  readonly #changed = new Set<string>();

  /** The history as it applies to the object now; taken from its status when it is new here. */
  historyOf(key: string, object: KubeObject): History {
    return historyFor(this.#histories.get(key), object);
  }

  /** Sets the history. */
  remember(key: string, history: History): void {
    this.#histories.set(key, history);
  }

  /** The status of the last reconcile that is still to be written. */
  pendingWrite(key: string): PendingWrite | undefined {
    return this.#pending.get(key);
  }

  /** Sets or, with undefined, drops what is still to be written. */
  setPendingWrite(key: string, pending: PendingWrite | undefined): void {
    if (pending === undefined) this.#pending.delete(key);
    else this.#pending.set(key, pending);
  }

  /** An input of the object changed: its backoff starts afresh and its last outcome is out of date. */
  inputChanged(key: string): void {
    this.#pending.delete(key);
    this.#changed.add(key);
    const history = this.#histories.get(key);
    if (history !== undefined) this.#histories.set(key, withBackoffReset(history));
  }

  /** A look at the object begins, which sees every change up to now. */
  lookBegins(key: string): void {
    this.#changed.delete(key);
  }

  /** Whether an input changed since the last look began, so that what came of that look is out of date. */
  hasChangedInput(key: string): boolean {
    return this.#changed.has(key);
  }

  /** Forgets an object that is gone. */
  forget(key: string): void {
    this.#histories.delete(key);
    this.#pending.delete(key);
    this.#changed.delete(key);
  }
}
