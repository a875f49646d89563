import { ManualClock, maxDelayMs } from '@buildkeeper/retry-policy';
import { describe, expect, it } from 'vitest';
import { WorkQueue, type WorkItem } from './work-queue.ts';

function rig() {
  const clock = new ManualClock(0);
  const seen = { added: 0, delayed: 0, waitsMs: [] as number[], worksMs: [] as number[] };
  const queue = new WorkQueue({
    clock,
    observer: {
      added: () => (seen.added += 1),
      delayed: () => (seen.delayed += 1),
      started: (ms) => seen.waitsMs.push(ms),
      finished: (ms) => seen.worksMs.push(ms),
    },
  });
  const taken: WorkItem[] = [];
  const stop = new AbortController();
  const take = async () => {
    taken.push(await queue.take(stop.signal));
  };
  /** Keys handed out by now; an exclamation mark says that a delay had run out. */
  const out = () => taken.map(({ key, isDue }) => (isDue ? `${key}!` : key));
  return { clock, queue, seen, stop, take, out };
}
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('WorkQueue', () => {
  it('hands keys out in the order in which they became ready, each once however often it was added', async () => {
    const { queue, take, out, seen } = rig();
    for (const key of ['a', 'b', 'a', 'c', 'a']) queue.add(key);
    expect(queue.depth).toBe(3);
    expect(seen.added).toBe(3);
    for (let n = 0; n < 3; n += 1) await take();
    expect(out()).toEqual(['a', 'b', 'c']);
    expect(queue.depth).toBe(0);
  });

  it('gives a waiting worker a key as soon as there is one', async () => {
    const { queue, take, out } = rig();
    void take();
    await settle();
    queue.add('a');
    await settle();
    expect(out()).toEqual(['a']);
  });

  it('never gives two workers the same key, and gives it out exactly once more when it was added meanwhile', async () => {
    const { queue, take, out, seen } = rig();
    queue.add('a');
    await take();
    for (let n = 0; n < 3; n += 1) queue.add('a');
    void take();
    await settle();
    expect(out()).toEqual(['a']);
    expect(queue.depth).toBe(0);
    queue.done('a');
    await settle();
    expect(out()).toEqual(['a', 'a']);
    queue.done('a');
    void take();
    await settle();
    expect(out()).toEqual(['a', 'a']);
    expect(seen.added).toBe(2);
  });

  it('makes a delayed key ready at its time', async () => {
    const { clock, queue, take, out, seen } = rig();
    queue.addAfter('a', 1000);
    void take();
    await clock.advance(999);
    expect(out()).toEqual([]);
    await clock.advance(1);
    expect(out()).toEqual(['a!']);
    expect(seen).toMatchObject({ added: 1, delayed: 1 });
  });

  it.each([
    { first: 1000, second: 400 },
    { first: 400, second: 1000 },
  ])('keeps the earlier of two delays: $first and $second', async ({ first, second }) => {
    const { clock, queue, take, out } = rig();
    queue.addAfter('a', first);
    queue.addAfter('a', second);
    void take();
    await clock.advance(400);
    expect(out()).toEqual(['a!']);
    queue.done('a');
    void take();
    await clock.advance(10_000);
    expect(out()).toEqual(['a!']);
  });

  it('forgets the delay of a key that an event brings out before its time', async () => {
    const { clock, queue, take, out } = rig();
    queue.addAfter('a', 1000);
    queue.add('a');
    await take();
    expect(out()).toEqual(['a']);
    expect(queue.delayedCount).toBe(0);
    queue.addAfter('a', 5000);
    queue.done('a');
    void take();
    await clock.advance(4999);
    expect(out()).toEqual(['a']);
    await clock.advance(1);
    expect(out()).toEqual(['a', 'a!']);
  });

  it('calls a key due whose delay ran out while it was ready or in work', async () => {
    const { clock, queue, take, out } = rig();
    queue.add('a');
    queue.addAfter('a', 100);
    await clock.advance(100);
    await take();
    queue.addAfter('a', 100);
    queue.add('a');
    await clock.advance(100);
    queue.done('a');
    await take();
    expect(out()).toEqual(['a!', 'a!']);
  });

  it('plans nothing for a key that is forgotten', async () => {
    const { clock, queue, take, out } = rig();
    queue.add('ready');
    queue.addAfter('delayed', 10);
    queue.add('running');
    queue.forget('ready');
    await take();
    queue.add('running');
    queue.forget('running');
    queue.forget('delayed');
    queue.done('running');
    void take();
    await clock.advance(1000);
    expect(out()).toEqual(['running']);
  });

  it('never waits over 24 h', async () => {
    const { clock, queue, take, out } = rig();
    queue.addAfter('a', maxDelayMs * 30);
    void take();
    await clock.advance(maxDelayMs);
    expect(out()).toEqual(['a!']);
  });

  it('measures the wait of a key and the work on it', async () => {
    const { clock, queue, take, seen } = rig();
    queue.add('a');
    await clock.advance(300);
    await take();
    await clock.advance(2000);
    expect(queue.workAgesMs).toEqual([2000]);
    queue.done('a');
    expect(seen).toMatchObject({ waitsMs: [300], worksMs: [2000] });
    expect(queue.workAgesMs).toEqual([]);
  });

  it('turns its workers away when they are to stop, without losing a key', async () => {
    const { queue, stop, take, out } = rig();
    const waiting = take();
    stop.abort(new Error('stopping'));
    await expect(waiting).rejects.toThrow('stopping');
    await expect(take()).rejects.toThrow('stopping');
    queue.add('a');
    expect(queue.depth).toBe(1);
    expect(out()).toEqual([]);
  });

  it('keeps one timer for all delays, and none once it is closed', () => {
    const { clock, queue } = rig();
    for (let n = 0; n < 100; n += 1) queue.addAfter(`key ${n}`, 1000 - n);
    expect(clock.sleeperCount).toBe(1);
    expect(clock.nextDueInMs).toBe(901);
    queue.close();
    expect(clock.sleeperCount).toBe(0);
    queue.addAfter('late', 5);
    expect(clock.sleeperCount).toBe(0);
  });
});
