import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { createInterface } from 'node:readline';
import { type JsonRecord, type ObjectMetadata } from '../json-value.ts';

/** A request of a test. */
export interface TestRequest {
  readonly method?: string;
  /** Sent as JSON unless it is text or bytes. */
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string;
  readonly headers?: Record<string, string>;
}

/** What tests look at in any JSON answer: an object, a list, a table, a Status, a discovery document. */
interface TestBody {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: ObjectMetadata & { readonly continue?: string; readonly remainingItemCount?: number };
  readonly spec: JsonRecord;
  readonly status: unknown;
  readonly items: readonly TestBody[];
  readonly rows: readonly { readonly cells: readonly unknown[]; readonly object?: TestBody }[];
  readonly columnDefinitions: readonly { readonly name: string }[] | null;
  readonly groups: readonly { readonly name: string }[];
  readonly [field: string]: unknown;
}

/** An answer: its text, and the JSON in it when it is JSON. */
export interface TestAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  readonly body: TestBody;
}

function payloadOf(body: unknown): Buffer {
  if (body === undefined) return Buffer.alloc(0);
  return Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

async function send(url: string, { method = 'GET', body, contentType, accept, headers }: TestRequest) {
  const payload = payloadOf(body);
  const outgoing = request(url, {
    method,
    headers: {
      'content-type': contentType ?? 'application/json',
      'content-length': payload.length,
      ...(accept !== undefined && { accept }),
      ...headers,
    },
  });
  outgoing.end(payload);
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  return { outgoing, incoming };
}

/** Sends one request and reads the whole answer. */
export async function call(url: string, options: TestRequest = {}): Promise<TestAnswer> {
  const { incoming } = await send(url, options);
  const text = (await incoming.setEncoding('utf8').toArray()).join('');
  const isJson = incoming.headers['content-type']?.startsWith('application/json') === true;
  const body = (isJson ? JSON.parse(text) : {}) as TestBody;
  return { status: incoming.statusCode ?? 0, headers: incoming.headers, text, body };
}

/** One line of a watch. */
export interface WatchLine {
  readonly type: string;
  readonly object: TestBody;
}

/** An open watch. */
export interface TestWatch {
  readonly status: number;
  /** The next lines, as many as asked for; fewer when the watch ends before. */
  take(count: number): Promise<WatchLine[]>;
  /** All lines until the watch ends. */
  rest(): Promise<WatchLine[]>;
  close(): void;
}

/** Opens a watch. */
export async function openWatch(url: string, options: TestRequest = {}): Promise<TestWatch> {
  const { outgoing, incoming } = await send(url, options);
  // A watch that the server or the test cuts just ends.
  incoming.on('error', () => undefined);
  outgoing.on('error', () => undefined);
  const lines = createInterface({ input: incoming })[Symbol.asyncIterator]();
  const take = async (count: number): Promise<WatchLine[]> => {
    const taken: WatchLine[] = [];
    while (taken.length < count) {
      const { done, value } = await lines.next();
      if (done === true) break;
      taken.push(JSON.parse(value) as WatchLine);
    }
    return taken;
  };
  return {
    status: incoming.statusCode ?? 0,
    take,
    rest: () => take(Number.POSITIVE_INFINITY),
    close: () => outgoing.destroy(),
  };
}

/** Short form of watch lines: `ADDED a`, `MODIFIED a`. */
export function summaryOf(lines: readonly WatchLine[]): string[] {
  return lines.map(({ type, object }) => {
    return `${type} ${object.metadata.name ?? ''}`.trim();
  });
}
