import type { FailureReason } from '@buildkeeper/retry-policy';

/** Hears what happens between us and the API server; metrics implement it. Nothing of it may throw. */
export interface KubeObserver {
  /**
   * An answer's head arrived, or none did. Requests that we stopped ourselves are not told of.
   * `verb` is the API server's word: get, list, watch, create, update, patch. `code` is the HTTP status or `<error>`.
   */
  requestFinished(seen: {
    readonly method: string;
    readonly verb: string;
    readonly host: string;
    readonly code: string;
    readonly durationMs: number;
  }): void;
  /** A watch received an event; bookmarks count, for they show that it is alive. */
  watchEvent(seen: { readonly kind: string; readonly atMs: number }): void;
  /** A watch was opened again, after any kind of end. */
  watchRestarted(seen: { readonly kind: string }): void;
  /** A request will be repeated in place after the delay. */
  retryScheduled?(seen: { readonly host: string; readonly reason: FailureReason; readonly delayMs: number }): void;
}
