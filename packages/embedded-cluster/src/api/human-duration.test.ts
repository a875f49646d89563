import { describe, expect, it } from 'vitest';
import { ageOf, humanDuration } from './human-duration.ts';

const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000];

describe('humanDuration', () => {
  it.each([
    [-5 * second, '<invalid>'],
    [-1 * second, '0s'],
    [0, '0s'],
    [119 * second, '119s'],
    [2 * minute, '2m'],
    [3 * minute + 20 * second, '3m20s'],
    [10 * minute + 59 * second, '10m'],
    [179 * minute, '179m'],
    [3 * hour, '3h'],
    [7 * hour + 5 * minute, '7h5m'],
    [47 * hour, '47h'],
    [2 * day + 3 * hour, '2d3h'],
    [7 * day, '7d'],
    [9 * day + 5 * hour, '9d'],
    [729 * day, '729d'],
    [2 * 365 * day + 3 * day, '2y3d'],
    [9 * 365 * day, '9y'],
  ])('shows %i ms as %s', (durationMs, text) => {
    expect(humanDuration(durationMs)).toBe(text);
  });
});

describe('ageOf', () => {
  it.each([
    [undefined, '<unknown>'],
    ['noon', '<invalid>'],
    ['1970-01-01T00:00:30Z', '30s'],
    ['1970-01-01T00:05:00Z', '<invalid>'],
  ])('of %s is %s', (time, text) => {
    expect(ageOf(time, minute)).toBe(text);
  });
});
