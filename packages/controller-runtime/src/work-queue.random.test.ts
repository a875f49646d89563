import { ManualClock } from '@buildkeeper/retry-policy';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WorkQueue } from './work-queue.ts';

const keys = ['a', 'b', 'c'] as const;
const silent = {
  added: () => undefined,
  delayed: () => undefined,
  started: () => undefined,
  finished: () => undefined,
};
const step = fc.record({
  do: fc.constantFrom('add' as const, 'addAfter' as const, 'advance' as const, 'finish' as const, 'finish' as const),
  key: fc.constantFrom(...keys),
  ms: fc.nat(50),
});

/** Workers that each hold a key until the test lets them finish; they note every key that they were given. */
function startWorkers(queue: WorkQueue, count: number) {
  const inFlight = new Map<string, () => void>();
  const starts = new Map<string, number>();
  const overlaps: string[] = [];
  const stop = new AbortController();
  const work = async () => {
    for (;;) {
      const item = await queue.take(stop.signal).catch(() => undefined);
      if (item === undefined) return;
      if (inFlight.has(item.key)) overlaps.push(item.key);
      starts.set(item.key, (starts.get(item.key) ?? 0) + 1);
      await new Promise<void>((resolve) => inFlight.set(item.key, resolve));
      inFlight.delete(item.key);
      queue.done(item.key);
    }
  };
  const ended = Promise.all(Array.from({ length: count }, work));
  return { inFlight, starts, overlaps, stop, ended };
}

describe('WorkQueue under random interleavings', () => {
  it('loses no key and has at most one worker on each', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 4 }), async (steps, workers) => {
        const clock = new ManualClock(0);
        const queue = new WorkQueue({ clock, observer: silent });
        const { inFlight, starts, overlaps, stop, ended } = startWorkers(queue, workers);
        /** For each key how often it had been started when it was last asked for: it must be started once more. */
        const owed = new Map<string, number>();
        for (const { do: what, key, ms } of steps) {
          if (what === 'advance') await clock.advance(ms);
          else if (what === 'finish') inFlight.get(key)?.();
          else {
            owed.set(key, starts.get(key) ?? 0);
            if (what === 'add') queue.add(key);
            else queue.addAfter(key, ms);
          }
          await Promise.resolve();
        }
        for (let n = 0; n < 6; n += 1) {
          await clock.advance(50);
          for (const finish of inFlight.values()) finish();
        }
        await clock.advance(0);
        expect(overlaps).toEqual([]);
        for (const [key, startsBefore] of owed) expect(starts.get(key) ?? 0).toBeGreaterThan(startsBefore);
        expect([queue.depth, queue.delayedCount, inFlight.size]).toEqual([0, 0, 0]);
        stop.abort(new Error('done'));
        await ended;
        queue.close();
        expect(clock.sleeperCount).toBe(0);
      }),
      { numRuns: 300 },
    );
  });
});
