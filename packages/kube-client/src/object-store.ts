import { type KubeObject, objectKey } from './kube-object.ts';
import { type Indexer, ObjectIndex } from './object-index.ts';

/** What is known of all objects of one kind. Objects are shared: do not change them. */
export interface ObjectStore<T extends KubeObject> {
  /** The object at the key (see objectKey). */
  get(key: string): T | undefined;
  list(): readonly T[];
  /** Objects for which that indexer answers the value. Throws a RangeError for an index that was not declared. */
  byIndex(indexName: string, value: string): readonly T[];
  readonly size: number;
  /**
   * Takes in the answer to an own write, ahead of its watch event. Emits no change, neither now nor when that event comes.
   *
   * @param basis the object as it was read for the write: when the store holds another version of it by now, the answer
   *   is older news and is dropped. Without it, that is known only of versions that a watch has brought since the last list.
   */
  put(object: T, basis?: T): void;
}

/** A difference between what the store held and what it holds. `deleted` carries the last known state. */
export type StoreChange<T extends KubeObject> =
  | { readonly type: 'added'; readonly object: T }
  | { readonly type: 'updated'; readonly object: T; readonly previous: T }
  | { readonly type: 'deleted'; readonly object: T };

interface Entry<T> {
  readonly object: T;
  /** The object came by `put`, and no watch event has confirmed it yet. */
  readonly isOwnWrite: boolean;
  /** resourceVersions that this object has left behind, newest last. */
  readonly passed: readonly string[];
}

/** More own writes than this are never on their way at the same time. */
const maxPassed = 8;

/**
 * A store with indexes, kept by a reflector. It compares resourceVersions for equality only; "older" is known from having
 * been there: a version that the object has already left behind is ignored when it arrives late.
 */
export class IndexedStore<T extends KubeObject> implements ObjectStore<T> {
  readonly #entries = new Map<string, Entry<T>>();
  readonly #indexes: ReadonlyMap<string, ObjectIndex<T>>;
  readonly #trim: (object: T) => T;
  #snapshot: readonly T[] | undefined;

  /** @param trim is applied to each object that comes in, but for lists */
  constructor(indexers: Readonly<Record<string, Indexer<T>>> = {}, trim: (object: T) => T = (object) => object) {
    this.#indexes = new Map(Object.entries(indexers).map(([name, indexer]) => [name, new ObjectIndex(indexer)]));
    this.#trim = trim;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): T | undefined {
    return this.#entries.get(key)?.object;
  }

  list(): readonly T[] {
    this.#snapshot ??= [...this.#entries.values()].map((entry) => entry.object);
    return this.#snapshot;
  }

  byIndex(indexName: string, value: string): readonly T[] {
    const index = this.#indexes.get(indexName);
    if (index === undefined) throw new RangeError(`No index ${indexName} was declared`);
    return [...index.keys(value)].map((key) => this.get(key)).filter((object) => object !== undefined);
  }

  put(object: T, basis?: T): void {
    const key = objectKey(object);
    const entry = this.#entries.get(key);
    // Deleted or recreated meanwhile, or the watch was faster than the answer: then the answer is old news.
    if (entry === undefined || isOther(entry, object) || isKnown(entry, object)) return;
    if (basis !== undefined && !isVersion(entry, basis)) return;
    this.#set(key, { object: this.#trim(object), isOwnWrite: true, passed: passedWith(entry) });
  }

  /** Takes in an ADDED or MODIFIED event. A new uid under an old name is a deletion and an addition. */
  apply(object: T): readonly StoreChange<T>[] {
    return this.#admit(this.#trim(object));
  }

  /** Takes in a DELETED event. One for an object that is not here, or no longer the same, changes nothing. */
  remove(incoming: T): readonly StoreChange<T>[] {
    const key = objectKey(incoming);
    const entry = this.#entries.get(key);
    if (entry === undefined || isOther(entry, incoming)) return [];
    this.#delete(key);
    return [{ type: 'deleted', object: this.#trim(incoming) }];
  }

  /** Takes in a full list of trimmed objects: all that is not in it is deleted. Answers the differences. */
  replaceAll(objects: readonly T[]): readonly StoreChange<T>[] {
    const listed = new Set(objects.map((object) => objectKey(object)));
    const gone = [...this.#entries].filter(([key]) => !listed.has(key));
    for (const [key] of gone) this.#delete(key);
    const deletions = gone.map(([, entry]): StoreChange<T> => ({ type: 'deleted', object: entry.object }));
    return [...deletions, ...objects.flatMap((object) => this.#admitListed(object))];
  }

  #admitListed(object: T): readonly StoreChange<T>[] {
    const key = objectKey(object);
    const entry = this.#entries.get(key);
    // Only an own write can be newer than a list. Whatever else looks passed comes from a server restored from a backup,
    // which gives out its versions a second time: the list is a new beginning.
    if (entry?.isOwnWrite) return this.#admit(object);
    const isSame = entry !== undefined && isVersion(entry, object);
    this.#set(key, { object: isSame ? entry.object : object, isOwnWrite: false, passed: [] });
    return isSame ? [] : changesBetween(entry?.object, object);
  }

  #admit(object: T): readonly StoreChange<T>[] {
    const key = objectKey(object);
    const entry = this.#entries.get(key);
    if (isKnown(entry, object)) {
      this.#confirm(key, object);
      return [];
    }
    this.#set(key, { object, isOwnWrite: false, passed: passedBy(entry, object) });
    return changesBetween(entry?.object, object);
  }

  /** The watch has caught up with an own write: from now on it is a state like any other. */
  #confirm(key: string, object: T): void {
    const entry = this.#entries.get(key);
    if (entry?.isOwnWrite && isVersion(entry, object)) this.#entries.set(key, { ...entry, isOwnWrite: false });
  }

  #set(key: string, entry: Entry<T>): void {
    this.#reindex(key, entry.object);
    this.#entries.set(key, entry);
  }

  #delete(key: string): void {
    this.#reindex(key, undefined);
    this.#entries.delete(key);
  }

  #reindex(key: string, next: T | undefined): void {
    this.#snapshot = undefined;
    for (const index of this.#indexes.values()) index.move(key, this.get(key), next);
  }
}

/** Another object of the same name. */
function isOther(entry: Entry<KubeObject>, object: KubeObject): boolean {
  return entry.object.metadata.uid !== object.metadata.uid;
}

function isVersion(entry: Entry<KubeObject>, object: KubeObject): boolean {
  return !isOther(entry, object) && entry.object.metadata.resourceVersion === object.metadata.resourceVersion;
}

/** The same version, or one that the object has left behind. */
function isKnown(entry: Entry<KubeObject> | undefined, object: KubeObject): boolean {
  if (entry === undefined || isOther(entry, object)) return false;
  return isVersion(entry, object) || entry.passed.includes(object.metadata.resourceVersion);
}

function passedWith(entry: Entry<KubeObject>): readonly string[] {
  return [...entry.passed, entry.object.metadata.resourceVersion].slice(-maxPassed);
}

/** What an object has left behind once the watch has brought another version of it. */
function passedBy(entry: Entry<KubeObject> | undefined, object: KubeObject): readonly string[] {
  if (entry === undefined || isOther(entry, object)) return [];
  // An own write that is overtaken is not left behind: its event may be still to come.
  return entry.isOwnWrite ? entry.passed : passedWith(entry);
}

function changesBetween<T extends KubeObject>(previous: T | undefined, object: T): readonly StoreChange<T>[] {
  if (previous === undefined) return [{ type: 'added', object }];
  if (previous.metadata.uid === object.metadata.uid) return [{ type: 'updated', object, previous }];
  return [
    { type: 'deleted', object: previous },
    { type: 'added', object },
  ];
}
