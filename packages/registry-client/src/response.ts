import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { FaultSite, WireFault } from './errors.ts';

/** What to do when a body has ended. Whichever of the two is called first counts. */
export interface BodyEnd {
  /** Read to its end, or no longer wanted. */
  readonly onDone: () => void;
  readonly onBroken: () => void;
  readonly faultOf: (error: unknown) => WireFault;
}

/**
 * The answer to one request, after redirects. Its body must be read, streamed or discarded: until then the
 * connection is busy.
 */
export class WireResponse {
  readonly status: number;
  /** The URL that answered, after redirects. */
  readonly url: URL;
  readonly site: FaultSite;
  readonly #headers: IncomingHttpHeaders;
  readonly #body: Readable;
  readonly #end: BodyEnd;

  constructor(
    head: { readonly status: number; readonly url: URL; readonly headers: IncomingHttpHeaders },
    body: Readable,
    site: FaultSite,
    end: BodyEnd,
  ) {
    this.status = head.status;
    this.url = head.url;
    this.#headers = head.headers;
    this.#body = body;
    this.site = site;
    this.#end = end;
  }

  /** Value of a header, its first one if it came several times. */
  header(name: string): string | undefined {
    return this.headers(name)[0];
  }

  /** All values of a header. */
  headers(name: string): readonly string[] {
    const value = this.#headers[name];
    if (value === undefined) return [];
    return Array.isArray(value) ? value : [value];
  }

  /** Length that the header announces, or undefined when it announces none. */
  get announcedBytes(): number | undefined {
    const text = this.header('content-length');
    return text === undefined ? undefined : Number(text);
  }

  /** At most `maxBytes` of the body. `isWhole` is false when there is more, and the rest is then given up. */
  async read(maxBytes: number): Promise<{ readonly bytes: Uint8Array; readonly isWhole: boolean }> {
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    for await (const chunk of this.stream()) {
      const room = maxBytes - sizeBytes;
      chunks.push(Buffer.from(chunk.subarray(0, room)));
      sizeBytes += Math.min(room, chunk.length);
      // Leaving the loop destroys the body, and with it the connection: cheaper than reading what nobody wants.
      if (chunk.length > room) return { bytes: Buffer.concat(chunks), isWhole: false };
    }
    return { bytes: Buffer.concat(chunks), isWhole: true };
  }

  /** The whole body, or undefined, unread as far as can be, when it is larger than `maxBytes`. */
  async readWhole(maxBytes: number): Promise<Uint8Array | undefined> {
    if ((this.announcedBytes ?? 0) > maxBytes) {
      this.destroy();
      return undefined;
    }
    const { bytes, isWhole } = await this.read(maxBytes);
    return isWhole ? bytes : undefined;
  }

  /** The body, chunk by chunk as it is wanted. Throws WireFault. */
  async *stream(): AsyncGenerator<Uint8Array, void> {
    try {
      for await (const chunk of this.#body) yield chunk as Uint8Array;
    } catch (error) {
      this.#end.onBroken();
      throw this.#end.faultOf(error);
    } finally {
      this.#end.onDone();
    }
  }

  /** Reads a small rest, so that the connection can be used again; gives up a large one. Never throws. */
  async discard(): Promise<void> {
    try {
      await this.read(64 * 1024);
    } catch {
      // Whoever discards has all that was wanted of this exchange; the observer has seen how it ended.
    }
  }

  /** Ends the exchange at once. */
  destroy(): void {
    this.#end.onDone();
    this.#body.destroy();
  }
}
