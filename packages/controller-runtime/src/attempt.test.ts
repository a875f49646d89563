import { getEventListeners } from 'node:events';
import { ManualClock } from '@buildkeeper/retry-policy';
import { describe, expect, it } from 'vitest';
import { attempt } from './attempt.ts';

const rig = () => ({ clock: new ManualClock(), stop: new AbortController() });

describe('attempt', () => {
  it('gives the value of what ends in time, and leaves no timer and no listener behind', async () => {
    const { clock, stop } = rig();
    const ended = await attempt(() => Promise.resolve(7), { timeoutMs: 1000, signal: stop.signal, clock });
    expect(ended).toEqual({ kind: 'done', value: 7 });
    expect(clock.sleeperCount).toBe(0);
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
  });

  it.each([
    { how: 'rejects', operation: () => Promise.reject(new Error('boom')) },
    {
      how: 'throws before its first await',
      operation: (): Promise<never> => {
        throw new Error('boom');
      },
    },
  ])('gives the error of what $how', async ({ operation }) => {
    const { clock, stop } = rig();
    const ended = await attempt(operation, { timeoutMs: 1000, signal: stop.signal, clock });
    expect(ended).toEqual({ kind: 'threw', error: new Error('boom') });
    expect(clock.sleeperCount).toBe(0);
  });

  it('ends at the time limit, even when the operation ignores its signal', async () => {
    const { clock, stop } = rig();
    let seen: AbortSignal | undefined;
    const running = attempt(
      (signal) => {
        seen = signal;
        return new Promise<never>(() => undefined);
      },
      { timeoutMs: 1000, signal: stop.signal, clock },
    );
    await clock.advance(999);
    expect(seen?.aborted).toBe(false);
    await clock.advance(1);
    expect(seen?.aborted).toBe(true);
    expect(await running).toEqual({ kind: 'timedOut', afterMs: 1000 });
  });

  it.each(['a stop that came before', 'a stop in between'])('ends with %s', async (when) => {
    const { clock, stop } = rig();
    if (when === 'a stop that came before') stop.abort(new Error('stopping'));
    let hasBegun = false;
    const running = attempt(
      () => {
        hasBegun = true;
        return new Promise<never>(() => undefined);
      },
      { timeoutMs: 1000, signal: stop.signal, clock },
    );
    stop.abort(new Error('stopping'));
    expect(await running).toEqual({ kind: 'stopped' });
    expect(hasBegun).toBe(when === 'a stop in between');
    expect(clock.sleeperCount).toBe(0);
  });

  it('calls an operation stopped that failed because of the stop', async () => {
    const { clock, stop } = rig();
    const operation = async (signal: AbortSignal) => {
      await clock.sleep(5000, signal);
    };
    const running = attempt(operation, { timeoutMs: 10_000, signal: stop.signal, clock });
    stop.abort(new Error('stopping'));
    expect(await running).toEqual({ kind: 'stopped' });
  });
});
