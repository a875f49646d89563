import { backoffDelayMs, type Clock, failureOf, maxDelayMs, type Pace, type Random } from '@buildkeeper/retry-policy';
import type { KubeClient, Selection } from './kube-client.ts';
import { type KubeObject, objectKey } from './kube-object.ts';
import { listAll } from './list-all.ts';
import type { LogEvent, LogSink } from './log-sink.ts';
import type { Indexer } from './object-index.ts';
import { IndexedStore, type ObjectStore, type StoreChange } from './object-store.ts';
import type { KubeObserver } from './observer.ts';
import type { ResourceType } from './resource-type.ts';
import { trimObject } from './trim-object.ts';
import type { WatchEvent } from './watch-event.ts';

/** How a reflector keeps time. */
export interface ReflectorTiming {
  /** Between a list or watch that ended and the next one: 500 ms ×2 up to 30 s, half jitter. */
  readonly pace: Pace;
  /**
   * The longest pause after a watch that ended cleanly: 5 s. Such an end says nothing against the server, and whoever
   * pauses sees no changes.
   */
  readonly cleanEndMaxDelayMs: number;
  /** A watch that lasted this long, and was not silent, was a good one, after which the pace starts anew: 10 s. */
  readonly steadyAfterMs: number;
  /** A watch is asked to end by itself after a random time in between, in seconds: 300 to 600. */
  readonly watchSeconds: { readonly min: number; readonly max: number };
  /**
   * A watch without a byte for this long is dead: 90 s. A server sends a bookmark each minute; one that sends none
   * costs a request each time this runs out.
   */
  readonly silenceMs: number;
  /** Objects in one page of a list: 500. */
  readonly pageSize: number;
}

/** What a reflector mirrors and whom it tells. */
export interface ReflectorOptions<T extends KubeObject> extends Selection {
  readonly client: KubeClient;
  readonly resource: ResourceType;
  readonly clock: Clock;
  readonly random: Random;
  readonly observer?: KubeObserver;
  /** Called with each change, one after the other, when the store holds it already. What it throws is logged. */
  readonly onChange: (change: StoreChange<T>) => void;
  readonly indexers?: Readonly<Record<string, Indexer<T>>>;
  readonly logger?: LogSink;
  readonly timing?: Partial<ReflectorTiming>;
}

/** Mirrors all objects of one kind into a store, for as long as it runs. */
export interface Reflector<T extends KubeObject> {
  readonly store: ObjectStore<T>;
  /** Lists and watches until the signal aborts, whatever fails meanwhile; then resolves. To be called once. */
  run(signal: AbortSignal): Promise<void>;
  /** Resolves when the first full list is in the store and its changes were delivered. Never rejects. */
  readonly synced: Promise<void>;
  hasSynced(): boolean;
}

/** Makes a reflector; nothing is asked of the server before `run`. */
export function createReflector<T extends KubeObject>(options: ReflectorOptions<T>): Reflector<T> {
  return new ListWatchReflector(options);
}

const defaultTiming: ReflectorTiming = {
  pace: { baseDelayMs: 500, factor: 2, maxDelayMs: 30_000 },
  cleanEndMaxDelayMs: 5000,
  steadyAfterMs: 10_000,
  watchSeconds: { min: 300, max: 600 },
  silenceMs: 90_000,
  pageSize: 500,
};

/** After so many failures in a row a fresh list is made: whatever the watch stumbles over, a list does not know of it. */
const failuresBeforeRelist = 5;

/** How a list and watch came to its end. */
type End =
  | { readonly kind: 'clean' }
  /** `retryAfterMs`: how long the server asked to be left alone; 0 when it did not ask. */
  | { readonly kind: 'failed'; readonly retryAfterMs: number };

class ListWatchReflector<T extends KubeObject> implements Reflector<T> {
  readonly store: IndexedStore<T>;
  readonly #options: ReflectorOptions<T>;
  readonly #timing: ReflectorTiming;
  readonly #trim: (object: T) => T;
  readonly #synced = Promise.withResolvers<undefined>();
  #hasSynced = false;
  /** Where the next watch begins; undefined when a list is due. */
  #resumeFrom: string | undefined;
  #hasWatched = false;
  /** Whether the current watch has brought anything, be it a bookmark. */
  #hasHeard = false;
  /** Failures of lists and watches, and clean ends, since the last good watch. */
  #failures = 0;
  #cleanEnds = 0;

  constructor(options: ReflectorOptions<T>) {
    this.#options = options;
    this.#timing = { ...defaultTiming, ...options.timing };
    this.#trim = (object) => trimObject(object, options.resource, options.metadataOnly ?? false);
    this.store = new IndexedStore(options.indexers, this.#trim);
  }

  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  hasSynced(): boolean {
    return this.#hasSynced;
  }

  async run(signal: AbortSignal): Promise<void> {
    for (;;) {
      const startedMs = this.#options.clock.monotonicMs();
      const end = await this.#listAndWatch(signal);
      if (signal.aborted) return;
      const lastedMs = this.#options.clock.monotonicMs() - startedMs;
      if (lastedMs >= this.#timing.steadyAfterMs && (end.kind === 'clean' || this.#hasHeard)) {
        this.#failures = 0;
        this.#cleanEnds = 0;
      }
      // Even a watch that ended as it should is no reason for haste: a server that ends each one at once must not be flooded.
      await this.#pause(this.#pauseAfter(end), signal);
    }
  }

  /** One list, if it is due, and one watch. Throws nothing. */
  async #listAndWatch(signal: AbortSignal): Promise<End> {
    this.#hasHeard = false;
    try {
      if (this.#resumeFrom === undefined) await this.#list(signal);
      if (!signal.aborted) await this.#watch(signal);
      return { kind: 'clean' };
    } catch (error) {
      return { kind: 'failed', retryAfterMs: this.#noteFailure(error, signal) };
    }
  }

  async #list(signal: AbortSignal): Promise<void> {
    const { client, resource } = this.#options;
    const selection = { ...this.#selection(), limit: this.#timing.pageSize };
    const { objects, resourceVersion } = await listAll({ client, resource, trim: this.#trim }, selection, signal);
    if (signal.aborted) return;
    this.#deliver(this.store.replaceAll(objects), signal);
    this.#resumeFrom = resourceVersion;
    this.#hasSynced = true;
    this.#synced.resolve(undefined);
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const { client, resource, observer, random, clock } = this.#options;
    if (this.#hasWatched) observer?.watchRestarted({ kind: resource.kind });
    this.#hasWatched = true;
    const { min, max } = this.#timing.watchSeconds;
    const events = client.watch<T>(
      resource,
      {
        ...this.#selection(),
        resourceVersion: this.#resumeFrom ?? '',
        timeoutSeconds: Math.ceil(min + (max - min) * random()),
        silenceMs: this.#timing.silenceMs,
      },
      signal,
    );
    for await (const event of events) {
      if (signal.aborted) return;
      this.#hasHeard = true;
      observer?.watchEvent({ kind: resource.kind, atMs: clock.nowMs() });
      this.#take(event, signal);
    }
  }

  #take(event: WatchEvent<T>, signal: AbortSignal): void {
    if (event.type === 'BOOKMARK') {
      this.#resumeFrom = event.resourceVersion;
      return;
    }
    const changes = event.type === 'DELETED' ? this.store.remove(event.object) : this.store.apply(event.object);
    this.#resumeFrom = event.object.metadata.resourceVersion;
    this.#deliver(changes, signal);
  }

  #deliver(changes: readonly StoreChange<T>[], signal: AbortSignal): void {
    for (const change of changes) {
      if (signal.aborted) return;
      try {
        this.#options.onChange(change);
      } catch (error) {
        // The object is in the store; one listener that stumbles over it must not cost everybody the watch.
        this.#log('error', 'The listener of changes failed', { object: objectKey(change.object), err: error });
      }
    }
  }

  #noteFailure(error: unknown, signal: AbortSignal): number {
    const failure = failureOf(error);
    if (signal.aborted || failure?.class === 'aborted') return 0;
    const isPast = failure?.httpStatus === 410;
    if (isPast || (this.#failures + 1) % failuresBeforeRelist === 0) this.#resumeFrom = undefined;
    const msg = failure?.message ?? 'The reflector met a defect of its own';
    this.#log('warn', msg, { failures: this.#failures + 1, ...(failure === undefined ? { err: error } : {}) });
    return failure?.retryAfterMs ?? 0;
  }

  /** How long to wait before the next list or watch, in milliseconds; counts the end. */
  #pauseAfter(end: End): number {
    const { random } = this.#options;
    const { pace, cleanEndMaxDelayMs } = this.#timing;
    if (end.kind === 'clean') {
      const cleanPace = { ...pace, maxDelayMs: Math.min(pace.maxDelayMs, cleanEndMaxDelayMs) };
      return backoffDelayMs(cleanPace, this.#cleanEnds++, random);
    }
    const ownMs = backoffDelayMs(pace, this.#failures++, random);
    // A little later than asked, so that all who were refused do not come back together.
    const askedMs = end.retryAfterMs * (1 + 0.1 * random());
    return Math.min(maxDelayMs, Math.max(ownMs, askedMs));
  }

  async #pause(delayMs: number, signal: AbortSignal): Promise<void> {
    try {
      await this.#options.clock.sleep(delayMs, signal);
    } catch {
      // Stopped; the loop sees it.
    }
  }

  #selection(): Selection {
    const { namespace, metadataOnly } = this.#options;
    return { ...(namespace === undefined ? {} : { namespace }), ...(metadataOnly ? { metadataOnly } : {}) };
  }

  #log(level: LogEvent['level'], msg: string, fields: object): void {
    this.#options.logger?.({ level, msg, kind: this.#options.resource.kind, ...fields });
  }
}
