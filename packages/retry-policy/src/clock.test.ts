import { describe, expect, it } from 'vitest';
import { createSystemClock, createSystemRandom } from './clock.ts';
import { ManualClock } from './manual-clock.ts';

describe('createSystemClock', () => {
  it('rejects a wait with the reason of the abort, before and during it', async () => {
    const clock = createSystemClock();
    const stop = new AbortController();
    const waiting = clock.sleep(60_000, stop.signal);
    stop.abort(new Error('stopping'));
    await expect(waiting).rejects.toThrow('stopping');
    await expect(clock.sleep(1, stop.signal)).rejects.toThrow('stopping');
  });

  it('does not fire a wait of weeks at once, as a bare timer would', async () => {
    const stop = new AbortController();
    let hasFired = false;
    const waiting = createSystemClock()
      .sleep(2 ** 40, stop.signal)
      .then(() => (hasFired = true))
      .catch(() => undefined);
    await createSystemClock().sleep(20, new AbortController().signal);
    expect(hasFired).toBe(false);
    stop.abort();
    await waiting;
  });

  it('draws numbers in [0, 1)', () => {
    const random = createSystemRandom();
    expect(random()).toBeGreaterThanOrEqual(0);
    expect(random()).toBeLessThan(1);
  });
});

describe('ManualClock', () => {
  it('wakes sleepers in the order of their due times, at those times', async () => {
    const clock = new ManualClock(0);
    const { signal } = new AbortController();
    const woken: string[] = [];
    void clock.sleep(30, signal).then(() => woken.push(`late ${String(clock.nowMs())}`));
    void clock.sleep(10, signal).then(async () => {
      woken.push(`early ${String(clock.nowMs())}`);
      await clock.sleep(5, signal);
      woken.push(`again ${String(clock.nowMs())}`);
    });
    expect(clock.nextDueInMs).toBe(10);
    await clock.advance(100);
    expect(woken).toEqual(['early 10', 'again 15', 'late 30']);
    expect(clock.monotonicMs()).toBe(100);
  });
});
