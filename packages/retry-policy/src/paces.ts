import { backoffDelayMs, jitteredMs, type Pace } from './backoff.ts';
import { maxDelayMs, type Random } from './clock.ts';
import type { Failure } from './failure.ts';

/** The pace of every class of failure: how an object is looked at again between reconciles. */
export interface ObjectPaces {
  readonly transient: Pace;
  /** For reason TLSVerificationFailed: certificates are mended by people, not in seconds. */
  readonly tls: Pace;
  /** For a 429 without Retry-After. */
  readonly throttled: Pace;
  readonly auth: Pace;
  readonly notFound: Pace;
  readonly conflict: Pace;
  /** Class `invalid` is looked at again after this, moved by half of itself either way. */
  readonly invalidRecheckMs: number;
}

const second = 1000;
const minute = 60 * second;

/** The paces of a controller that was given no flags. */
export const defaultObjectPaces: ObjectPaces = {
  transient: { baseDelayMs: second, factor: 2, maxDelayMs: 5 * minute },
  tls: { baseDelayMs: minute, factor: 2, maxDelayMs: 15 * minute },
  throttled: { baseDelayMs: 15 * second, factor: 2, maxDelayMs: 10 * minute },
  auth: { baseDelayMs: 30 * second, factor: 2, maxDelayMs: 15 * minute },
  notFound: { baseDelayMs: 10 * second, factor: 2, maxDelayMs: 10 * minute },
  conflict: { baseDelayMs: 5, factor: 2, maxDelayMs: second },
  invalidRecheckMs: 60 * minute,
};

/** Pace of the retries of one request inside a reconcile: short and few. */
export const defaultRequestPace: Pace = { baseDelayMs: 200, factor: 2, maxDelayMs: 2 * second };

/**
 * Delay until an object that failed is looked at again. Always a finite number, at most 24 h: there is no "never".
 * Not before the server's Retry-After, and up to a tenth after it, so that waiters do not fire together.
 *
 * @param failures consecutive failures before this one, from 0
 */
export function nextAttemptDelayMs(failure: Failure, failures: number, paces: ObjectPaces, random: Random): number {
  if (failure.class === 'aborted') return 0;
  if (failure.class === 'invalid') return jitteredMs(paces.invalidRecheckMs, 0.5, random);
  const ownMs = backoffDelayMs(paceOf(failure, paces), failures, random);
  if (failure.retryAfterMs === undefined) return ownMs;
  const askedMs = failure.retryAfterMs * (1 + 0.1 * random());
  return Math.min(maxDelayMs, failure.class === 'throttled' ? askedMs : Math.max(ownMs, askedMs));
}

function paceOf(failure: Failure, paces: ObjectPaces): Pace {
  switch (failure.class) {
    case 'transient':
      return failure.reason === 'TLSVerificationFailed' ? paces.tls : paces.transient;
    case 'throttled':
      return paces.throttled;
    case 'auth':
      return paces.auth;
    case 'notFound':
      return paces.notFound;
    case 'conflict':
    case 'aborted':
      return paces.conflict;
    case 'invalid':
      return { baseDelayMs: paces.invalidRecheckMs, factor: 1, maxDelayMs: paces.invalidRecheckMs };
  }
}
