import { Agent, request } from 'node:https';

/** An answer of the API server. */
export interface ApiResponse {
  readonly status: number;
  /** The JSON of the answer; its text where it is none. */
  readonly body: unknown;
  /** Texts of the `Warning` headers. */
  readonly warnings: readonly string[];
}

/** A request with a body. */
export interface ApiContent {
  /** Text is sent as it is, everything else as JSON. */
  readonly body?: unknown;
  /** `application/json` when left out. */
  readonly contentType?: string;
}

/** Requests to one API server, over connections that are kept. */
export interface ApiAccess {
  /** Sends a request to a path with its query. Rejects with the system's error when there is no answer within 15 s. */
  request(method: string, path: string, content?: ApiContent): Promise<ApiResponse>;
  close(): void;
}

const timeoutMs = 15_000;

/** Access with a bearer token to `https://127.0.0.1:PORT`, whose certificate is among `ca`. */
export function openApiAccess(options: {
  readonly url: string;
  readonly ca: string;
  readonly token: string;
}): ApiAccess {
  const agent = new Agent({ keepAlive: true, ca: options.ca });
  return {
    request: (method, path, { body, contentType = 'application/json' } = {}) =>
      new Promise((resolve, reject) => {
        const headers = {
          authorization: `Bearer ${options.token}`,
          accept: 'application/json',
          ...(body === undefined ? {} : { 'content-type': contentType }),
        };
        const signal = AbortSignal.timeout(timeoutMs);
        const sent = request(new URL(path, options.url), { method, headers, agent, signal }, (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString();
            const warnings = warningTexts(response.headers.warning);
            resolve({ status: response.statusCode ?? 0, body: jsonOrText(text), warnings });
          });
        });
        sent.on('error', reject);
        sent.end(body === undefined || typeof body === 'string' ? body : JSON.stringify(body));
      }),
    close() {
      agent.destroy();
    },
  };
}

/** The quoted texts of `299 - "text", 299 - "text"`. */
function warningTexts(header: string | string[] | undefined): string[] {
  const joined = Array.isArray(header) ? header.join(', ') : (header ?? '');
  return [...joined.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) => text.replace(/\\(.)/g, '$1'));
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // Some answers of a real server are plain text, /readyz among them.
    return text;
  }
}
