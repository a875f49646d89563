import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRetryAfterMs, retryAfterRangeMs } from './retry-after.ts';

const nowMs = Date.parse('Tue, 01 Dec 2026 12:00:00 GMT');
const sent = 'Tue, 01 Dec 2026 11:00:00 GMT';

describe('parseRetryAfterMs', () => {
  it.each([
    { text: '3', date: undefined, wantMs: 3000, because: 'seconds' },
    { text: ' 1.5 ', date: undefined, wantMs: 1500, because: 'decimals, as some registries send' },
    { text: '0', date: undefined, wantMs: 1000, because: 'nought is moved to the least' },
    { text: '86400', date: undefined, wantMs: 3_600_000, because: 'a day is moved to the most' },
    { text: 'Tue, 01 Dec 2026 12:00:30 GMT', date: undefined, wantMs: 30_000, because: 'a date, against our clock' },
    { text: 'Tue, 01 Dec 2026 11:00:05 GMT', date: sent, wantMs: 5000, because: 'a date, against the sender’s clock' },
    { text: 'Tue, 01 Dec 2026 10:00:00 GMT', date: sent, wantMs: 1000, because: 'a date in the past' },
    { text: '880.092µs', date: undefined, wantMs: undefined, because: 'a duration with a unit is garbage' },
    { text: '-5', date: undefined, wantMs: undefined, because: 'a negative number is garbage' },
    { text: 'soon', date: undefined, wantMs: undefined, because: 'words are garbage' },
    { text: '', date: undefined, wantMs: undefined, because: 'an empty header says nothing' },
    { text: undefined, date: sent, wantMs: undefined, because: 'no header' },
  ])('reads $text as $wantMs: $because', ({ text, date, wantMs }) => {
    expect(parseRetryAfterMs(text, date, nowMs)).toBe(wantMs);
  });

  it('gives undefined or a value within the range for any text', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (text, date) => {
        const delayMs = parseRetryAfterMs(text, date, nowMs) ?? retryAfterRangeMs.min;
        expect(delayMs).toBeGreaterThanOrEqual(retryAfterRangeMs.min);
        expect(delayMs).toBeLessThanOrEqual(retryAfterRangeMs.max);
      }),
    );
  });
});
