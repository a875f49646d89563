import { maxDelayMs, type Random } from './clock.ts';

/** How delays grow: `baseDelayMs · factor^failures`, at most `maxDelayMs`. */
export interface Pace {
  readonly baseDelayMs: number;
  readonly factor: number;
  readonly maxDelayMs: number;
}

/**
 * Delay before the next attempt, half-jittered inside the cap: uniform in [d/2, d] with
 * d = min(maxDelayMs, baseDelayMs · factor^failures). Never negative, NaN, or over 24 h.
 *
 * @param failures consecutive failures before this delay, from 0; reset by the first success
 * @see https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
 */
export function backoffDelayMs(pace: Pace, failures: number, random: Random): number {
  const capMs = Math.min(pace.maxDelayMs, maxDelayMs);
  // The exponent is bounded, because factor^failures overflows to Infinity and 0 · Infinity is NaN.
  const grownMs = pace.baseDelayMs * pace.factor ** Math.min(Math.max(0, failures), 256);
  const delayMs = Math.min(capMs, grownMs);
  return delayMs / 2 + (delayMs / 2) * random();
}

/** `aroundMs` moved by at most `share` of itself either way, uniformly: 0.1 gives 90 % to 110 %. At most 24 h. */
export function jitteredMs(aroundMs: number, share: number, random: Random): number {
  return Math.min(maxDelayMs, aroundMs * (1 - share + 2 * share * random()));
}
