import { type ApiObject, objectKey } from './json-value.ts';

/** A change of one stored object, in the order of its resourceVersion. */
export interface StorageEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** The object after the change; a deleted one as it last was, with the resourceVersion of the deletion. */
  readonly object: ApiObject;
  /** The object before the change: what a selector needs to see an object leave its selection. */
  readonly previous: ApiObject | undefined;
  readonly resourceVersion: number;
}

interface Collection {
  readonly objects: Map<string, ApiObject>;
  readonly listeners: Set<(event: StorageEvent) => void>;
  history: StorageEvent[];
  /** The newest resourceVersion that has left the history: a resume from before it has missed events. */
  forgottenUpTo: number;
}

/**
 * All objects of the server in memory, under one growing resourceVersion, with the latest changes of each collection.
 * A collection is named by plural and group, so that all versions of a resource share one.
 */
export class ObjectStorage {
  #resourceVersion: number;
  #compactedAt: number;
  readonly #collections = new Map<string, Collection>();
  readonly #historyLimit: number;

  /**
   * @param resourceVersion where to start: every older one counts as forgotten
   * @param historyLimit changes of one collection that can be resumed over, at least
   */
  constructor(resourceVersion: number, historyLimit: number) {
    this.#resourceVersion = resourceVersion;
    this.#compactedAt = resourceVersion;
    this.#historyLimit = historyLimit;
  }

  /** The resourceVersion of the newest write. */
  get resourceVersion(): number {
    return this.#resourceVersion;
  }

  /** The object at the key; undefined when there is none. */
  get(collection: string, key: string): ApiObject | undefined {
    return this.#collection(collection).objects.get(key);
  }

  /** Every object of the collection, or of one namespace, in the order of the keys. */
  list(collection: string, namespace?: string): ApiObject[] {
    const entries = [...this.#collection(collection).objects];
    const wanted = namespace ? entries.filter(([, object]) => object.metadata.namespace === namespace) : entries;
    return wanted.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
  }

  /** Stores the object under the next resourceVersion, and tells the listeners. Answers the stored object. */
  put(collection: string, object: ApiObject): ApiObject {
    const { objects } = this.#collection(collection);
    const stored = this.#stamped(object);
    const key = keyOf(stored);
    const previous = objects.get(key);
    objects.set(key, stored);
    this.#publish(collection, { type: previous ? 'MODIFIED' : 'ADDED', object: stored, previous });
    return stored;
  }

  /** Removes the object at the key, when there is one. */
  remove(collection: string, key: string): void {
    const { objects } = this.#collection(collection);
    const previous = objects.get(key);
    if (!previous) return;
    objects.delete(key);
    this.#publish(collection, { type: 'DELETED', object: this.#stamped(previous), previous });
  }

  /** Calls the listener with each later change of the collection, until the returned function is called. */
  subscribe(collection: string, listener: (event: StorageEvent) => void): () => void {
    const { listeners } = this.#collection(collection);
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  /** Changes of the collection after the resourceVersion; undefined when some of them are forgotten. */
  eventsAfter(collection: string, resourceVersion: number): readonly StorageEvent[] | undefined {
    const { history, forgottenUpTo } = this.#collection(collection);
    if (resourceVersion < forgottenUpTo) return undefined;
    const first = history.findLastIndex((event) => event.resourceVersion <= resourceVersion) + 1;
    return history.slice(first);
  }

  /** Forgets every change: a resume from any resourceVersion but the newest is refused from now on. */
  compact(): void {
    this.#compactedAt = this.#resourceVersion;
    for (const collection of this.#collections.values()) {
      collection.history = [];
      collection.forgottenUpTo = this.#resourceVersion;
    }
  }

  #publish(name: string, change: Omit<StorageEvent, 'resourceVersion'>): void {
    const collection = this.#collection(name);
    const event = { ...change, resourceVersion: this.#resourceVersion };
    collection.history.push(event);
    // Trimmed in large steps, so that a write costs the same however long the history is.
    if (collection.history.length > 2 * this.#historyLimit) {
      const forgotten = collection.history.length - this.#historyLimit;
      collection.forgottenUpTo = collection.history[forgotten - 1]?.resourceVersion ?? 0;
      collection.history = collection.history.slice(forgotten);
    }
    for (const listener of [...collection.listeners]) listener(event);
  }

  #stamped(object: ApiObject): ApiObject {
    this.#resourceVersion += 1;
    return { ...object, metadata: { ...object.metadata, resourceVersion: String(this.#resourceVersion) } };
  }

  #collection(name: string): Collection {
    let collection = this.#collections.get(name);
    if (!collection) {
      collection = { objects: new Map(), listeners: new Set(), history: [], forgottenUpTo: this.#compactedAt };
      this.#collections.set(name, collection);
    }
    return collection;
  }
}

function keyOf({ metadata }: ApiObject): string {
  return objectKey(metadata.namespace, metadata.name ?? '');
}
