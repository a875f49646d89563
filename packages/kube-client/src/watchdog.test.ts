import { ManualClock } from '@buildkeeper/retry-policy';
import { describe, expect, it } from 'vitest';
import { LimitReached, startWatchdog } from './watchdog.ts';

function setUp(ms: number) {
  const clock = new ManualClock();
  const stop = new AbortController();
  const watchdog = startWatchdog({ name: 'patience', ms }, stop.signal, clock);
  return { clock, stop, watchdog };
}

describe('a watchdog', () => {
  it('aborts when its limit has run out, and says which', async () => {
    const { clock, watchdog } = setUp(1000);
    await clock.advance(999);
    expect(watchdog.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(watchdog.signal.reason).toEqual(new LimitReached('patience'));
  });

  it('counts from the last touch', async () => {
    const { clock, watchdog } = setUp(1000);
    await clock.advance(900);
    watchdog.touch();
    await clock.advance(900);
    expect(watchdog.signal.aborted).toBe(false);
    await clock.advance(100);
    expect(watchdog.signal.aborted).toBe(true);
  });

  it("aborts with the caller's reason, at once", () => {
    const { clock, stop, watchdog } = setUp(1000);
    const reason = new Error('enough');
    stop.abort(reason);
    expect(watchdog.signal.reason).toBe(reason);
    expect(clock.sleeperCount).toBe(0);
  });

  it('is aborted from the start when the caller is', () => {
    const watchdog = startWatchdog({ name: 'patience', ms: 1 }, AbortSignal.abort('early'), new ManualClock());
    expect(watchdog.signal.reason).toBe('early');
  });

  it('leaves no timer behind once stopped, and never aborts then', async () => {
    const { clock, stop, watchdog } = setUp(1000);
    watchdog.stop();
    expect(clock.sleeperCount).toBe(0);
    await clock.advance(5000);
    stop.abort();
    expect(watchdog.signal.aborted).toBe(false);
  });
});
