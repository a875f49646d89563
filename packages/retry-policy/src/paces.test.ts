import { describe, expect, it } from 'vitest';
import { maxDelayMs } from './clock.ts';
import { failureClasses, type Failure } from './failure.ts';
import { defaultObjectPaces, nextAttemptDelayMs } from './paces.ts';

const failure = (part: Partial<Failure>): Failure => ({
  class: 'transient',
  scope: 'host',
  reason: 'RegistryUnavailable',
  evidence: 'dead',
  inRequestRetry: 'safe',
  message: 'Cannot read manifest registry.example/base: connection refused (ECONNREFUSED)',
  cause: undefined,
  ...part,
});
const delayMs = (part: Partial<Failure>, failures = 0, draw = 1) =>
  Math.round(nextAttemptDelayMs(failure(part), failures, defaultObjectPaces, () => draw));

describe('nextAttemptDelayMs', () => {
  it.each([
    { part: {}, first: 1000, cap: 300_000 },
    { part: { reason: 'TLSVerificationFailed' as const }, first: 60_000, cap: 900_000 },
    { part: { class: 'throttled' as const }, first: 15_000, cap: 600_000 },
    { part: { class: 'auth' as const }, first: 30_000, cap: 900_000 },
    { part: { class: 'notFound' as const }, first: 10_000, cap: 600_000 },
    { part: { class: 'conflict' as const }, first: 5, cap: 1000 },
    { part: { class: 'invalid' as const }, first: 5_400_000, cap: 5_400_000 },
  ])('starts at $first ms and stops growing at $cap ms for $part', ({ part, first, cap }) => {
    expect(delayMs(part)).toBe(first);
    expect(delayMs(part, 1000)).toBe(cap);
  });

  it.each(failureClasses)('never says "never" for class %s', (name) => {
    for (const failures of [0, 1, 50, 1_000_000]) {
      const value = delayMs({ class: name }, failures);
      expect(value).toBeGreaterThanOrEqual(0);
      expect(value).toBeLessThanOrEqual(maxDelayMs);
    }
  });

  it('takes an aborted attempt up again at once', () => {
    expect(delayMs({ class: 'aborted' }, 9)).toBe(0);
  });

  it('waits as long as a throttling server asks, not longer than a tenth more, and never shorter', () => {
    expect(delayMs({ class: 'throttled', retryAfterMs: 3000 }, 9, 0)).toBe(3000);
    expect(delayMs({ class: 'throttled', retryAfterMs: 3000 }, 9)).toBe(3300);
  });

  it('takes the longer of its own delay and Retry-After when the failure is no throttling', () => {
    expect(delayMs({ retryAfterMs: 60_000 }, 0, 0)).toBe(60_000);
    expect(delayMs({ retryAfterMs: 1000 }, 8, 0)).toBe(128_000);
  });
});
