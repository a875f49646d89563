import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ApiObject } from './json-value.ts';
import { ObjectStorage } from './object-storage.ts';

const object = (name: string): ApiObject => ({ apiVersion: 'v1', kind: 'Thing', metadata: { name, namespace: 'n' } });
const write = fc.record({ name: fc.constantFrom('a', 'b', 'c'), isRemoval: fc.boolean() });

describe('ObjectStorage', () => {
  it('lets the state at any remembered version be carried on to the newest', () => {
    fc.assert(
      fc.property(fc.array(write, { maxLength: 40 }), fc.integer({ min: 1, max: 10 }), (writes, historyLimit) => {
        const storage = new ObjectStorage(100, historyLimit);
        const states = [{ version: storage.resourceVersion, objects: storage.list('things') }];
        for (const { name, isRemoval } of writes) {
          if (isRemoval) storage.remove('things', `n/${name}`);
          else storage.put('things', object(name));
          states.push({ version: storage.resourceVersion, objects: storage.list('things') });
        }
        const resumable = states.filter(({ version, objects }) => {
          const events = storage.eventsAfter('things', version);
          if (!events) return false;
          const carried = new Map(objects.map((known) => [known.metadata.name, known]));
          for (const event of events) {
            if (event.type === 'DELETED') carried.delete(event.object.metadata.name);
            else carried.set(event.object.metadata.name, event.object);
          }
          const names = [...carried.values()].sort((a, b) =>
            (a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1,
          );
          expect(names).toEqual(storage.list('things'));
          return true;
        });
        // As many versions as the history is to reach back to, or all there were.
        expect(resumable.length).toBeGreaterThanOrEqual(Math.min(historyLimit, states.length));
      }),
      { seed: 7 },
    );
  });

  it('gives every write of every collection a version of its own, in order', () => {
    const storage = new ObjectStorage(100, 10);
    const seen: string[] = [];
    for (const name of ['things', 'others']) {
      storage.subscribe(name, ({ type, resourceVersion }) => seen.push(`${type} ${resourceVersion}`));
    }
    storage.put('things', object('a'));
    storage.put('others', object('a'));
    storage.put('things', object('a'));
    storage.remove('things', 'n/a');
    storage.remove('things', 'n/a');
    expect(seen).toEqual(['ADDED 101', 'ADDED 102', 'MODIFIED 103', 'DELETED 104']);
  });

  it('counts a collection that was never written as forgotten up to the compaction', () => {
    const storage = new ObjectStorage(100, 10);
    storage.put('things', object('a'));
    storage.compact();
    expect(storage.eventsAfter('others', 100)).toBeUndefined();
    expect(storage.eventsAfter('others', 101)).toEqual([]);
  });
});
