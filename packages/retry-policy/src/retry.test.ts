import { describe, expect, it } from 'vitest';
import { ClassifiedError, type Failure } from './failure.ts';
import { ManualClock } from './manual-clock.ts';
import { retry, type RetryOptions } from './retry.ts';

class Refused extends ClassifiedError {
  readonly failure: Failure;
  constructor(part: Partial<Failure> = {}) {
    super('refused');
    this.failure = {
      class: 'transient',
      scope: 'host',
      reason: 'RegistryUnavailable',
      evidence: 'dead',
      inRequestRetry: 'safe',
      message: 'refused',
      cause: undefined,
      ...part,
    };
  }
}

function setUp(part: Partial<RetryOptions> = {}) {
  const clock = new ManualClock();
  const stop = new AbortController();
  const delays: number[] = [];
  const options: RetryOptions = {
    maxAttempts: 3,
    pace: { baseDelayMs: 200, factor: 2, maxDelayMs: 2000 },
    maxTotalDelayMs: 5000,
    signal: stop.signal,
    clock,
    random: () => 0.5,
    onRetry: (_, delayMs) => delays.push(delayMs),
    ...part,
  };
  return { clock, stop, delays, options };
}

/** Fails `times` times with `error`, then answers with the number of the attempt. */
function failing(times: number, error: () => unknown) {
  return (attempt: number) => (attempt <= times ? Promise.reject(error()) : Promise.resolve(attempt));
}

describe('retry', () => {
  it('repeats a safe transient failure with growing, jittered waits', async () => {
    const { clock, delays, options } = setUp();
    const result = retry(
      failing(2, () => new Refused()),
      options,
    );
    await clock.advance(1000);
    await expect(result).resolves.toBe(3);
    expect(delays).toEqual([150, 300]);
  });

  it('gives up after the attempts it has, with the last error', async () => {
    const { clock, delays, options } = setUp();
    const result = retry(
      failing(9, () => new Refused()),
      options,
    ).catch((error: unknown) => error);
    await clock.advance(10_000);
    expect(await result).toBeInstanceOf(Refused);
    expect(delays).toHaveLength(2);
  });

  it.each([
    { part: { inRequestRetry: 'never' as const }, because: 'it may not be sent again' },
    {
      part: { class: 'throttled' as const },
      because: 'a throttled request without Retry-After goes back to the queue',
    },
    { part: { class: 'throttled' as const, retryAfterMs: 3000 }, because: 'a long Retry-After is not waited for here' },
    { part: { class: 'aborted' as const }, because: 'we stopped it ourselves' },
  ])('does not repeat when $because', async ({ part }) => {
    const { delays, options } = setUp();
    await expect(
      retry(
        failing(1, () => new Refused(part)),
        options,
      ),
    ).rejects.toBeInstanceOf(Refused);
    expect(delays).toEqual([]);
  });

  it('waits for a short Retry-After', async () => {
    const { clock, delays, options } = setUp();
    const result = retry(
      failing(1, () => new Refused({ class: 'throttled', retryAfterMs: 1500 })),
      options,
    );
    await clock.advance(1500);
    await expect(result).resolves.toBe(2);
    expect(delays).toEqual([1500]);
  });

  it('does not repeat an error that nobody has judged', async () => {
    const { options } = setUp();
    await expect(
      retry(
        failing(1, () => new TypeError('a defect')),
        options,
      ),
    ).rejects.toThrow('a defect');
  });

  it('ends its wait at once when the signal aborts', async () => {
    const { clock, stop, options } = setUp();
    const result = retry(
      failing(2, () => new Refused()),
      options,
    ).catch((error: unknown) => error);
    await clock.advance(10);
    stop.abort(new Error('stopping'));
    expect(await result).toMatchObject({ message: 'stopping' });
    expect(clock.sleeperCount).toBe(0);
  });

  it('stops when the waits of one call would add up to too much', async () => {
    const { delays, options } = setUp({ maxTotalDelayMs: 100 });
    await expect(
      retry(
        failing(1, () => new Refused()),
        options,
      ),
    ).rejects.toBeInstanceOf(Refused);
    expect(delays).toEqual([]);
  });
});
