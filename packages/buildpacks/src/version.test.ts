import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareApiVersions, isApiOffered } from './api-version.ts';
import { compareVersions } from './version.ts';

describe('compareVersions', () => {
  it('orders from what is no version up to the newest release', () => {
    const sorted = [
      '',
      'banana',
      'latest',
      '0.9',
      '01.2',
      '1.10',
      'v2-rc.1',
      '2.0.0-rc.2',
      '2',
      'v2.0.1',
      '10.0.0',
      '2023.1.5',
    ];
    expect([...sorted].sort(compareVersions)).toEqual(sorted);
    expect([...sorted].reverse().sort(compareVersions)).toEqual(sorted);
  });

  it.each([
    ['1', '1.0.0'],
    ['1.2', 'v1.2.0'],
    ['1.2.3', '1.2.3+build.7'],
    ['1.02.3', '1.2.3'],
  ])('takes %s and %s for the same', (a, b) => {
    expect(compareVersions(a, b)).toBe(0);
  });

  it.each(['1.2.3.4', '1.2.3-', '1.2.3-01', '99999999999999999999.0.0', '1'.repeat(300), 'v', '-1', '1..2', ' 1.0.0'])(
    'counts %s as no version, older than each',
    (odd) => {
      expect(compareVersions(odd, '0.0.0-0')).toBeLessThan(0);
      expect(compareVersions('0.0.0-0', odd)).toBeGreaterThan(0);
    },
  );

  it('is an order for any texts', () => {
    const version = fc.oneof(
      fc.string(),
      fc.tuple(fc.nat(3), fc.nat(3)).map((parts) => parts.join('.')),
    );
    fc.assert(
      fc.property(version, version, version, (a, b, c) => {
        expect(Math.sign(compareVersions(a, b)) + Math.sign(compareVersions(b, a))).toBe(0);
        if (compareVersions(a, b) <= 0 && compareVersions(b, c) <= 0)
          expect(compareVersions(a, c)).toBeLessThanOrEqual(0);
      }),
    );
  });
});

describe('API versions', () => {
  it('are ordered by number', () => {
    expect(['1.0', '0.10', '0.9', 'x', '0.2'].sort(compareApiVersions)).toEqual(['x', '0.2', '0.9', '0.10', '1.0']);
  });

  it.each([
    { wanted: '0.10', offered: ['0.9', '0.10'], isOffered: true },
    { wanted: '0.1', offered: ['0.10'], isOffered: false },
    { wanted: '0.8', offered: ['0.9'], isOffered: false },
    { wanted: '1.2', offered: ['1.3'], isOffered: true },
    { wanted: '1.4', offered: ['1.3'], isOffered: false },
    { wanted: '1', offered: ['1.0'], isOffered: true },
    { wanted: 'v0.9', offered: ['0.9'], isOffered: true },
    { wanted: '', offered: [''], isOffered: false },
    { wanted: 'x', offered: ['x'], isOffered: false },
  ])('$wanted is offered by $offered: $isOffered', ({ wanted, offered, isOffered }) => {
    expect(isApiOffered(wanted, offered)).toBe(isOffered);
  });
});
