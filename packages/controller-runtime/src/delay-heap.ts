interface Entry {
  readonly key: string;
  readonly dueMs: number;
}

/** Keys by due time: one time a key, the earliest first. Setting and taking cost the logarithm of the size. */
export class DelayHeap {
  readonly #dueMs = new Map<string, number>();
  /** May hold entries that were replaced or deleted; the map says which are true. */
  #heap: Entry[] = [];

  /** Sets the due time of a key, unless it has an earlier one. */
  setEarlier(key: string, dueMs: number): void {
    const known = this.#dueMs.get(key);
    if (known !== undefined && known <= dueMs) return;
    this.#dueMs.set(key, dueMs);
    this.#push({ key, dueMs });
  }

  /** Forgets a key; nothing happens when it is not there. */
  delete(key: string): void {
    this.#dueMs.delete(key);
  }

  /** Number of keys. */
  get size(): number {
    return this.#dueMs.size;
  }

  /** The earliest due time, or undefined when there is no key. */
  nextDueMs(): number | undefined {
    this.#dropStale();
    return this.#heap[0]?.dueMs;
  }

  /** Takes the earliest key that is due at `nowMs`, or undefined. */
  takeDue(nowMs: number): string | undefined {
    this.#dropStale();
    const first = this.#heap[0];
    if (first === undefined || first.dueMs > nowMs) return undefined;
    this.#pop();
    this.#dueMs.delete(first.key);
    return first.key;
  }

  #dropStale(): void {
    for (let first = this.#heap[0]; first !== undefined; first = this.#heap[0]) {
      if (this.#dueMs.get(first.key) === first.dueMs) return;
      this.#pop();
    }
  }

  #push(entry: Entry): void {
    this.#heap.push(entry);
    let at = this.#heap.length - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.#dueAt(parent) <= entry.dueMs) break;
      this.#swap(at, parent);
      at = parent;
    }
  }

  #pop(): void {
    const last = this.#heap.pop();
    if (last === undefined || this.#heap.length === 0) return;
    this.#heap[0] = last;
    for (let at = 0; ;) {
      const left = 2 * at + 1;
      const smaller = this.#dueAt(left + 1) < this.#dueAt(left) ? left + 1 : left;
      if (this.#dueAt(smaller) >= last.dueMs) return;
      this.#swap(at, smaller);
      at = smaller;
    }
  }

  #dueAt(index: number): number {
    return this.#heap[index]?.dueMs ?? Infinity;
  }

  #swap(a: number, b: number): void {
    const [one, other] = [this.#heap[a], this.#heap[b]];
    if (one === undefined || other === undefined) return;
    this.#heap[a] = other;
    this.#heap[b] = one;
  }
}
