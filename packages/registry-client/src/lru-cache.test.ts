import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LruCache } from './lru-cache.ts';

describe('LruCache', () => {
  it('drops what was used longest ago', () => {
    const cache = new LruCache<number>(2);
    cache.set('a', 1);
    cache.set('b', 2);
    cache.get('a');
    cache.set('c', 3);
    expect(['a', 'b', 'c'].map((key) => cache.get(key))).toEqual([1, undefined, 3]);
  });

  it('does not keep, nor drop others for, what is too heavy by itself', () => {
    const cache = new LruCache<number>(10);
    cache.set('a', 1, 9);
    cache.set('b', 2, 11);
    expect([cache.get('a'), cache.get('b')]).toEqual([1, undefined]);
  });

  it('forgets the old value of a key whose new value is too heavy', () => {
    const cache = new LruCache<number>(10);
    cache.set('a', 1, 1);
    cache.set('a', 2, 11);
    expect(cache.get('a')).toBeUndefined();
    expect(cache.weight).toBe(0);
  });

  it('never weighs more than it may, and always what it holds', () => {
    const step = fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.integer({ min: 0, max: 12 }), fc.boolean());
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const cache = new LruCache<number>(10);
        for (const [key, weight, isDeleted] of steps) {
          if (isDeleted) cache.delete(key);
          else cache.set(key, weight, weight);
          const held = ['a', 'b', 'c', 'd'].map((name) => cache.get(name) ?? 0);
          expect(cache.weight).toBe(held.reduce((sum, one) => sum + one));
          expect(cache.weight).toBeLessThanOrEqual(10);
        }
      }),
    );
  });
});
