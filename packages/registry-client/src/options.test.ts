import { ManualClock } from '@buildkeeper/retry-policy';
import { describe, expect, it } from 'vitest';
import { isListed, settingsFor } from './options.ts';

describe('isListed', () => {
  it.each([
    ['registry.example', 'https://registry.example:5000/v2/', true],
    ['registry.example:5000', 'https://registry.example:5000/v2/', true],
    ['Registry.Example:5000', 'https://registry.example:5000/v2/', true],
    ['registry.example:443', 'https://registry.example/v2/', true],
    ['registry.example:80', 'http://registry.example/v2/', true],
    ['registry.example:5001', 'https://registry.example:5000/v2/', false],
    ['example', 'https://registry.example/v2/', false],
    ['docker.io', 'https://registry-1.docker.io/v2/', true],
    ['[::1]:5000', 'http://[::1]:5000/v2/', true],
    ['', 'https://registry.example/v2/', false],
  ])('knows whether %s means %s', (entry, url, expected) => {
    expect(isListed([entry], new URL(url))).toBe(expected);
  });

  it('means nothing by an empty list', () => {
    expect(isListed(undefined, new URL('http://localhost/'))).toBe(false);
  });
});

describe('settingsFor', () => {
  const base = { clock: new ManualClock(), random: () => 0 };

  it('has a default for everything but the total time-out', () => {
    expect(settingsFor(base, new URL('https://registry.example/'))).toEqual({
      connectTimeoutMs: 5000,
      headersTimeoutMs: 30_000,
      bodyTimeoutMs: 30_000,
      requestAttempts: 3,
      maxConnectionsPerHost: 10,
    });
  });

  it('prefers what is said of the host to what is said of all', () => {
    const options = {
      ...base,
      connectTimeoutMs: 1,
      bodyTimeoutMs: 2,
      hostOverrides: { 'registry.example': { bodyTimeoutMs: 3, totalTimeoutMs: 4, maxConnectionsPerHost: 5 } },
    };
    expect(settingsFor(options, new URL('https://registry.example:5000/'))).toEqual({
      connectTimeoutMs: 1,
      headersTimeoutMs: 30_000,
      bodyTimeoutMs: 3,
      totalTimeoutMs: 4,
      requestAttempts: 3,
      maxConnectionsPerHost: 5,
    });
    expect(settingsFor(options, new URL('https://other.example/')).bodyTimeoutMs).toBe(2);
  });
});
