import { type JsonRecord } from './json-value.ts';

/** A request, freed from HTTP, so that tests in the same process take the same way as clients. */
export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly accept: string;
  readonly contentType: string;
  readonly body: Buffer;
}

/** An answer with a body that is complete. */
export interface ApiAnswer {
  readonly kind: 'answer';
  readonly status: number;
  /** What is sent: JSON, or a ready text of the given type. */
  readonly body: unknown;
  readonly contentType?: string;
  readonly warnings?: readonly string[];
}

/** Takes what a watch has to say. */
export interface WatchSink {
  /** One event, without the line end. */
  write(line: string): void;
  /** Says that nothing more comes. */
  end(): void;
}

/** An answer that goes on: `start` begins it, and returns what stops it. */
export interface ApiWatch {
  readonly kind: 'watch';
  start(sink: WatchSink): () => void;
}

/** What comes back for a request. */
export type ApiResponse = ApiAnswer | ApiWatch;

/** An answer with a JSON body. */
export function answer(body: JsonRecord, status = 200, warnings: readonly string[] = []): ApiAnswer {
  return { kind: 'answer', status, body, warnings };
}
