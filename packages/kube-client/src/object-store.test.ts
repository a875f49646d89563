import { describe, expect, it } from 'vitest';
import type { KubeObject } from './kube-object.ts';
import { IndexedStore, type StoreChange } from './object-store.ts';

interface Thing extends KubeObject {
  readonly spec: { readonly labels: readonly string[] };
}

/** An object `name` at a version; `uid` when it is not the first of that name. */
function thing(name: string, version: number, { uid = 'first', labels = [] as readonly string[] } = {}): Thing {
  return { metadata: { name, namespace: 'team', uid, resourceVersion: `v${version}` }, spec: { labels } };
}

const tell = (changes: readonly StoreChange<Thing>[]) =>
  changes.map((change) => {
    const before = change.type === 'updated' ? `${change.previous.metadata.resourceVersion}→` : '';
    return `${change.type} ${change.object.metadata.name} ${before}${change.object.metadata.resourceVersion}`;
  });

const storeOf = (...objects: Thing[]) => {
  const store = new IndexedStore<Thing>({ byLabel: (object) => object.spec.labels });
  store.replaceAll(objects);
  return store;
};
const versionIn = (store: IndexedStore<Thing>, name = 'a') => store.get(`team/${name}`)?.metadata.resourceVersion;

describe('events', () => {
  it('add, update and delete', () => {
    const store = storeOf();
    expect(tell(store.apply(thing('a', 1)))).toEqual(['added a v1']);
    expect(tell(store.apply(thing('a', 2)))).toEqual(['updated a v1→v2']);
    expect(tell(store.remove(thing('a', 3)))).toEqual(['deleted a v3']);
    expect(store.size).toBe(0);
  });

  it('change nothing when they bring the version that is there', () => {
    const store = storeOf(thing('a', 1));
    expect(tell(store.apply(thing('a', 1)))).toEqual([]);
  });

  it('replace an object of another uid by deleting the old and adding the new one', () => {
    const store = storeOf(thing('a', 1));
    expect(tell(store.apply(thing('a', 2, { uid: 'second' })))).toEqual(['deleted a v1', 'added a v2']);
  });

  it('do not delete an object of another uid, nor one that is not there', () => {
    const store = storeOf(thing('a', 2, { uid: 'second' }));
    expect(tell(store.remove(thing('a', 1)))).toEqual([]);
    expect(tell(store.remove(thing('b', 1)))).toEqual([]);
    expect(store.size).toBe(1);
  });

  it('key cluster-scoped objects by name', () => {
    const store = storeOf();
    store.apply({ metadata: { name: 'base', uid: 'u', resourceVersion: '1' }, spec: { labels: [] } });
    expect(store.get('base')?.metadata.uid).toBe('u');
  });
});

describe('a full list', () => {
  it('tells additions, updates and deletions, and nothing of what is as it was', () => {
    const store = storeOf(thing('a', 1), thing('b', 2), thing('c', 3), thing('d', 4));
    const list = [thing('b', 2), thing('c', 9), thing('d', 8, { uid: 'second' }), thing('e', 7)];
    expect(tell(store.replaceAll(list))).toEqual([
      'deleted a v1',
      'updated c v3→v9',
      'deleted d v4',
      'added d v8',
      'added e v7',
    ]);
    expect(store.size).toBe(4);
  });

  it('wins with a version that was there before, when a backup was restored', () => {
    const store = storeOf(thing('a', 1));
    store.apply(thing('a', 2));
    expect(tell(store.replaceAll([thing('a', 1)]))).toEqual(['updated a v2→v1']);
    expect(tell(store.apply(thing('a', 2)))).toEqual(['updated a v1→v2']);
  });
});

describe('put', () => {
  it('is seen at once, and neither it nor its event tells of a change', () => {
    const store = storeOf(thing('a', 1));
    store.put(thing('a', 2));
    expect(versionIn(store)).toBe('v2');
    expect(tell(store.apply(thing('a', 2)))).toEqual([]);
    expect(tell(store.apply(thing('a', 3)))).toEqual(['updated a v2→v3']);
  });

  it('is not undone by the events of earlier writes of ours', () => {
    const store = storeOf(thing('a', 1));
    store.put(thing('a', 2));
    store.put(thing('a', 3));
    expect(tell(store.apply(thing('a', 2)))).toEqual([]);
    expect(versionIn(store)).toBe('v3');
    expect(tell(store.apply(thing('a', 3)))).toEqual([]);
    expect(versionIn(store)).toBe('v3');
  });

  it('is not undone by a list that was read before it', () => {
    const store = storeOf(thing('a', 1));
    store.put(thing('a', 2));
    expect(tell(store.replaceAll([thing('a', 1)]))).toEqual([]);
    expect(versionIn(store)).toBe('v2');
  });

  it('gives way to a version of somebody else, and to its own event after that', () => {
    const store = storeOf(thing('a', 1));
    store.put(thing('a', 3));
    expect(tell(store.apply(thing('a', 2)))).toEqual(['updated a v3→v2']);
    expect(tell(store.apply(thing('a', 3)))).toEqual(['updated a v2→v3']);
  });

  it('does nothing when the watch was faster', () => {
    const store = storeOf(thing('a', 1));
    store.apply(thing('a', 2));
    store.apply(thing('a', 3));
    store.put(thing('a', 2));
    expect(versionIn(store)).toBe('v3');
  });

  it('does nothing when a list has gone beyond what the write was based on', () => {
    const store = storeOf(thing('a', 1));
    const basis = store.get('team/a');
    store.replaceAll([thing('a', 3)]);
    store.put(thing('a', 2), basis);
    expect(versionIn(store)).toBe('v3');
  });

  it('follows the version that it was based on', () => {
    const store = storeOf(thing('a', 1));
    store.put(thing('a', 2), thing('a', 1));
    store.put(thing('a', 3), thing('a', 2));
    expect(versionIn(store)).toBe('v3');
  });

  it('does not bring back what was deleted or recreated meanwhile', () => {
    const store = storeOf(thing('a', 1), thing('b', 1));
    store.remove(thing('a', 2));
    store.apply(thing('b', 2, { uid: 'second' }));
    store.put(thing('a', 3));
    store.put(thing('b', 3));
    expect(versionIn(store, 'a')).toBeUndefined();
    expect(versionIn(store, 'b')).toBe('v2');
  });

  it('is trimmed like everything that comes in', () => {
    const store = new IndexedStore<Thing>({}, (object) => ({ ...object, spec: { labels: ['trimmed'] } }));
    store.apply(thing('a', 1));
    store.put(thing('a', 2));
    expect(store.get('team/a')?.spec.labels).toEqual(['trimmed']);
  });
});

describe('an index', () => {
  it('follows additions, updates, own writes and deletions', () => {
    const store = storeOf(thing('a', 1, { labels: ['x', 'y'] }), thing('b', 1, { labels: ['x'] }));
    const names = (value: string) => store.byIndex('byLabel', value).map((object) => object.metadata.name);
    expect(names('x')).toEqual(['a', 'b']);
    store.apply(thing('a', 2, { labels: ['y', 'z'] }));
    store.put(thing('b', 2, { labels: ['z'] }));
    expect([names('x'), names('y'), names('z')]).toEqual([[], ['a'], ['a', 'b']]);
    store.remove(thing('a', 3));
    expect([names('y'), names('z')]).toEqual([[], ['b']]);
  });

  it('has to be declared', () => {
    expect(() => storeOf().byIndex('byColour', 'red')).toThrow(RangeError);
  });
});

it('gives the same array for as long as nothing changes', () => {
  const store = storeOf(thing('a', 1));
  const list = store.list();
  expect(store.list()).toBe(list);
  store.put(thing('a', 2));
  expect(store.list()).not.toBe(list);
  expect(list).toHaveLength(1);
});
