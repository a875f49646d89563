import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DelayHeap } from './delay-heap.ts';

const step = fc.record({
  do: fc.constantFrom('set' as const, 'set' as const, 'delete' as const, 'take' as const),
  key: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
  ms: fc.nat(20),
});

describe('DelayHeap', () => {
  it('gives the keys as a list sorted by due time would, whatever was set, set again and deleted', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const heap = new DelayHeap();
        const model = new Map<string, number>();
        for (const { do: what, key, ms } of steps) {
          const least = Math.min(...model.values());
          if (what === 'delete') {
            heap.delete(key);
            model.delete(key);
          } else if (what === 'set') {
            heap.setEarlier(key, ms);
            model.set(key, Math.min(ms, model.get(key) ?? Infinity));
          } else {
            const taken = heap.takeDue(ms);
            if (least > ms) expect(taken).toBeUndefined();
            else {
              expect(model.get(taken ?? '')).toBe(least);
              model.delete(taken ?? '');
            }
          }
          expect(heap.size).toBe(model.size);
          expect(heap.nextDueMs()).toBe(model.size === 0 ? undefined : Math.min(...model.values()));
        }
      }),
    );
  });
});
