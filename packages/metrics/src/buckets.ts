/**
 * Bucket bounds of every histogram, in seconds. Literal lists: a computed power of ten renders as 0.000009999999999999999.
 */
export const buckets = {
  /** Work queues: powers of ten, as the Go controllers have them. */
  queue: [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100, 1000],
  /** `controller_runtime_reconcile_time_seconds`, as the Go controllers have it; it ends at a minute. */
  reconcileTime: [
    0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75,
    2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
  ],
  /** Our own reconcile histogram: a build takes minutes. */
  reconcileDuration: [0.1, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600, 1200],
  /** Requests to the API server and to registries. */
  request: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60],
  /** Delays before the next attempt, from an in-request retry to an hourly recheck. */
  backoff: [0.1, 0.2, 0.5, 1, 2, 4, 8, 15, 30, 60, 120, 300, 600, 900, 3600],
  /** First failure to next success. */
  failure: [1, 5, 15, 30, 60, 120, 300, 600, 1800, 3600, 14400, 86400],
} as const;
