/** Says under which values an object is found. */
export type Indexer<T> = (object: T) => readonly string[];

/** Keys of objects by one derived value, for instance by the store that they name. */
export class ObjectIndex<T> {
  readonly #indexer: Indexer<T>;
  readonly #keys = new Map<string, Set<string>>();

  constructor(indexer: Indexer<T>) {
    this.#indexer = indexer;
  }

  /** Keys of the objects that have the value, in the order in which they came. */
  keys(value: string): ReadonlySet<string> {
    return this.#keys.get(value) ?? none;
  }

  /** Puts `next` in the place of `previous`; either may be absent. */
  move(key: string, previous: T | undefined, next: T | undefined): void {
    for (const value of this.#values(previous)) this.#delete(value, key);
    for (const value of this.#values(next)) this.#add(value, key);
  }

  #values(object: T | undefined): readonly string[] {
    if (object === undefined) return [];
    try {
      return this.#indexer(object);
    } catch {
      // An object of an unforeseen shape is in the store but in no index: one odd object must not end the watch.
      return [];
    }
  }

  #add(value: string, key: string): void {
    const keys = this.#keys.get(value);
    if (keys === undefined) this.#keys.set(value, new Set([key]));
    else keys.add(key);
  }

  #delete(value: string, key: string): void {
    const keys = this.#keys.get(value);
    keys?.delete(key);
    if (keys?.size === 0) this.#keys.delete(value);
  }
}

const none: ReadonlySet<string> = new Set();
