import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDuration, parseDurationMs } from './durations.ts';

describe('parseDurationMs', () => {
  it.each([
    { text: '500ms', ms: 500 },
    { text: '1s', ms: 1000 },
    { text: '1m30s', ms: 90_000 },
    { text: '1.5h', ms: 5_400_000 },
    { text: '2h0m0.5s', ms: 7_200_500 },
    { text: '0', ms: 0 },
    { text: '0s', ms: 0 },
  ])('reads $text as $ms ms', ({ text, ms }) => {
    expect(parseDurationMs(text)).toBe(ms);
  });

  it.each(['', '5', '5 m', '1d', 's', '-1s', '1m 30s', '1,5s', 'NaNs', '1e3s', '5M'])('refuses %j', (text) => {
    expect(parseDurationMs(text)).toBeUndefined();
  });
});

describe('formatDuration', () => {
  it.each([
    { ms: 0, text: '0s' },
    { ms: 250, text: '250ms' },
    { ms: 90_000, text: '1m30s' },
    { ms: 3_600_000, text: '1h' },
    { ms: 86_400_000, text: '24h' },
    { ms: 3_601_001, text: '1h1s1ms' },
  ])('writes $ms ms as $text', ({ ms, text }) => {
    expect(formatDuration(ms)).toBe(text);
  });

  it('writes what parseDurationMs reads back', () => {
    fc.assert(
      fc.property(fc.nat(10_000_000_000), (ms) => {
        expect(parseDurationMs(formatDuration(ms))).toBe(ms);
      }),
    );
  });
});
