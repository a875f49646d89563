/** Splits bytes at line feeds, and nowhere else: U+2028 inside a JSON string is no end of line. */
export class LineSplitter {
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  readonly #maxLineBytes: number;

  /** @param maxLineBytes a longer line throws a RangeError, so that a broken server cannot fill the memory */
  constructor(maxLineBytes: number) {
    this.#maxLineBytes = maxLineBytes;
  }

  /** The lines that this chunk completes, in order; a line cut inside a character waits for its rest. */
  push(chunk: Buffer): string[] {
    const lines: string[] = [];
    let from = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, from)) {
      this.#keep(chunk.subarray(from, end));
      lines.push(this.#take());
      from = end + 1;
    }
    this.#keep(chunk.subarray(from));
    return lines;
  }

  #keep(part: Buffer): void {
    if (part.length === 0) return;
    this.#pendingBytes += part.length;
    if (this.#pendingBytes > this.#maxLineBytes) throw new RangeError('Line too long');
    this.#pending.push(part);
  }

  #take(): string {
    const [only] = this.#pending;
    const whole = this.#pending.length === 1 && only !== undefined ? only : Buffer.concat(this.#pending);
    this.#pending = [];
    this.#pendingBytes = 0;
    return whole.toString('utf8');
  }
}

const lineFeed = 0x0a;
