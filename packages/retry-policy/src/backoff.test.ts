import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backoffDelayMs, jitteredMs, type Pace } from './backoff.ts';
import { maxDelayMs } from './clock.ts';

const pace: Pace = { baseDelayMs: 1000, factor: 2, maxDelayMs: 300_000 };
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('backoffDelayMs', () => {
  it.each([
    { failures: 0, draw: 0, delayMs: 500, because: 'the least of the first delay is half the base' },
    { failures: 0, draw: 0.5, delayMs: 750, because: 'the draw is uniform between half and whole' },
    { failures: 3, draw: 0, delayMs: 4000, because: 'the delay doubles with each failure' },
    { failures: 20, draw: 0, delayMs: 150_000, because: 'at the cap half of it is still jitter' },
    { failures: -1, draw: 0, delayMs: 500, because: 'a count below nought is nought' },
  ])('$because', ({ failures, draw, delayMs }) => {
    expect(backoffDelayMs(pace, failures, () => draw)).toBe(delayMs);
  });

  it('stays within [d/2, d] and the cap for any count of failures', () => {
    fc.assert(
      fc.property(fc.nat(1_000_000), random, (failures, draw) => {
        const delayMs = backoffDelayMs(pace, failures, () => draw);
        const wholeMs = Math.min(pace.maxDelayMs, pace.baseDelayMs * 2 ** Math.min(failures, 60));
        expect(delayMs).toBeGreaterThanOrEqual(wholeMs / 2);
        expect(delayMs).toBeLessThanOrEqual(wholeMs);
      }),
    );
  });

  it('never waits over 24 h, whatever the pace', () => {
    const slow: Pace = { baseDelayMs: maxDelayMs * 9, factor: 3, maxDelayMs: Number.MAX_VALUE };
    expect(backoffDelayMs(slow, 500, () => 0.999)).toBeLessThanOrEqual(maxDelayMs);
  });

  it('keeps its jitter at the cap: under 1 % of the draws are equal and the deviation is at least 0.12 of the cap', () => {
    let seed = 7;
    const seeded = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
    const draws = Array.from({ length: 10_000 }, () => backoffDelayMs(pace, 14, seeded));
    const mean = draws.reduce((sum, one) => sum + one, 0) / draws.length;
    const deviation = Math.sqrt(draws.reduce((sum, one) => sum + (one - mean) ** 2, 0) / draws.length);
    expect(new Set(draws).size).toBeGreaterThan(9900);
    expect(deviation).toBeGreaterThan(0.12 * pace.maxDelayMs);
  });
});

describe('jitteredMs', () => {
  it('moves by at most the share either way', () => {
    expect(jitteredMs(1000, 0.1, () => 0)).toBe(900);
    expect(jitteredMs(1000, 0.1, () => 0.5)).toBe(1000);
    expect(jitteredMs(1000, 0.1, () => 0.999)).toBeLessThan(1100);
  });
});
