export { backoffDelayMs, jitteredMs, type Pace } from './backoff.ts';
export { createSystemClock, createSystemRandom, maxDelayMs, type Clock, type Random } from './clock.ts';
export {
  ClassifiedError,
  failureClasses,
  failureOf,
  type Failure,
  type FailureClass,
  type FailureEvidence,
  type FailureScope,
} from './failure.ts';
export { ManualClock } from './manual-clock.ts';
export { defaultObjectPaces, defaultRequestPace, nextAttemptDelayMs, type ObjectPaces } from './paces.ts';
export { failureReasons, type FailureReason } from './reasons.ts';
export { parseRetryAfterMs, retryAfterRangeMs } from './retry-after.ts';
export { retry, type RetryOptions } from './retry.ts';
