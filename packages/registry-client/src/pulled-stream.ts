import { Readable } from 'node:stream';

/**
 * A stream of what an iterator gives, pulled as it is wanted. Unlike `Readable.from` it ends at once when it is
 * destroyed, also while the iterator waits: `release` is to end that wait.
 */
export class PulledStream extends Readable {
  readonly #chunks: AsyncIterator<Uint8Array, void>;
  readonly #release: () => void;

  constructor(chunks: AsyncIterator<Uint8Array, void>, release: () => void) {
    super();
    this.#chunks = chunks;
    this.#release = release;
  }

  override _read(): void {
    this.#chunks.next().then(
      (next) => {
        this.push(next.done === true ? null : next.value);
      },
      (error: unknown) => {
        this.destroy(error instanceof Error ? error : new Error('iterator failed', { cause: error }));
      },
    );
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#release();
    callback(error);
  }
}
