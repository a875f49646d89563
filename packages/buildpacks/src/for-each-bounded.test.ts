import { describe, expect, it } from 'vitest';
import { forEachBounded } from './for-each-bounded.ts';

/** Work whose items are finished by hand. */
function start(itemCount: number, limit: number) {
  const begun: number[] = [];
  const ends = new Map<number, { done: () => void; fail: (error: Error) => void }>();
  const items = Array.from({ length: itemCount }, (_, index) => index);
  const all = forEachBounded(items, limit, (item) => {
    begun.push(item);
    return new Promise<void>((done, fail) => ends.set(item, { done, fail }));
  });
  let outcome = 'open';
  all.then(
    () => (outcome = 'done'),
    (error: unknown) => (outcome = String(error)),
  );
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return {
    begun,
    done: (item: number) => {
      ends.get(item)!.done();
    },
    fail: (item: number) => {
      ends.get(item)!.fail(new Error(String(item)));
    },
    outcome: () => outcome,
    settle,
  };
}

describe('forEachBounded', () => {
  it('begins no more than the limit, and the next as soon as one ends', async () => {
    const work = start(4, 2);
    expect(work.begun).toEqual([0, 1]);
    work.done(1);
    await work.settle();
    expect(work.begun).toEqual([0, 1, 2]);
    for (const item of [0, 2]) work.done(item);
    await work.settle();
    work.done(3);
    await work.settle();
    expect(work.outcome()).toBe('done');
  });

  it('begins nothing after a failure, and waits for what is under way', async () => {
    const work = start(4, 2);
    work.fail(1);
    await work.settle();
    expect([work.begun, work.outcome()]).toEqual([[0, 1], 'open']);
    work.done(0);
    await work.settle();
    expect([work.begun, work.outcome()]).toEqual([[0, 1], 'Error: 1']);
  });

  it('throws the failure of the earliest item, not of the quickest', async () => {
    const work = start(3, 3);
    work.fail(2);
    await work.settle();
    work.fail(0);
    work.done(1);
    await work.settle();
    expect(work.outcome()).toBe('Error: 0');
  });

  it('has nothing to do without items', async () => {
    await expect(forEachBounded([], 5, () => Promise.reject(new Error('work')))).resolves.toBeUndefined();
  });
});
