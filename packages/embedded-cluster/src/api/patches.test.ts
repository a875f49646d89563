import { describe, expect, it } from 'vitest';
import { jsonPatch, mergePatch } from './patches.ts';
import { strategicMergePatch } from './strategic-merge-patch.ts';
import { type JsonSchema } from './json-schema.ts';

describe('mergePatch', () => {
  // The table of RFC 7396, appendix A.
  it.each<[unknown, unknown, unknown]>([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['c', 'd'],
    ],
    [{ a: 'b' }, ['c'], ['c']],
    [{ a: 'foo' }, null, null],
    [{ a: 'foo' }, 'bar', 'bar'],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('%j with %j is %j', (target, patch, expected) => {
    const before = structuredClone(target);
    expect(mergePatch(target, patch)).toEqual(expected);
    expect(target).toEqual(before);
  });
});

describe('jsonPatch', () => {
  const target = { a: { b: [1, 2], 'x/y': 1, 'm~n': 2 } };

  it.each<[string, object, unknown]>([
    ['adds a field', { op: 'add', path: '/a/c', value: 3 }, { a: { ...target.a, c: 3 } }],
    ['inserts an item', { op: 'add', path: '/a/b/1', value: 9 }, { a: { ...target.a, b: [1, 9, 2] } }],
    ['appends an item', { op: 'add', path: '/a/b/-', value: 9 }, { a: { ...target.a, b: [1, 2, 9] } }],
    ['replaces a field', { op: 'replace', path: '/a/b', value: [] }, { a: { ...target.a, b: [] } }],
    ['replaces an item', { op: 'replace', path: '/a/b/0', value: 5 }, { a: { ...target.a, b: [5, 2] } }],
    ['replaces everything', { op: 'replace', path: '', value: 5 }, 5],
    ['removes an item', { op: 'remove', path: '/a/b/0' }, { a: { ...target.a, b: [2] } }],
    ['removes a field with a slash', { op: 'remove', path: '/a/x~1y' }, { a: { b: [1, 2], 'm~n': 2 } }],
    ['removes a field with a tilde', { op: 'remove', path: '/a/m~0n' }, { a: { b: [1, 2], 'x/y': 1 } }],
    ['moves', { op: 'move', from: '/a/b', path: '/c' }, { a: { 'x/y': 1, 'm~n': 2 }, c: [1, 2] }],
    ['copies', { op: 'copy', from: '/a/b', path: '/c' }, { ...target, c: [1, 2] }],
    ['goes on after a test', { op: 'test', path: '/a/b', value: [1, 2] }, target],
  ])('%s', (_case, operation, expected) => {
    const before = structuredClone(target);
    expect(jsonPatch(target, [operation])).toEqual(expected);
    expect(target).toEqual(before);
  });

  it.each<[string, unknown, number]>([
    ['a failed test', [{ op: 'test', path: '/a/b', value: 1 }], 422],
    ['a path that is not there', [{ op: 'remove', path: '/z' }], 422],
    ['a parent that is not there', [{ op: 'add', path: '/z/y', value: 1 }], 422],
    ['an index beyond the end', [{ op: 'add', path: '/a/b/7', value: 1 }], 422],
    ['an unknown operation', [{ op: 'swap', path: '/a' }], 400],
    ['a path that is no pointer', [{ op: 'remove', path: 'a' }], 400],
    ['no list of operations', { op: 'remove', path: '/a' }, 400],
  ])('refuses %s', (_case, operations, code) => {
    expect(() => jsonPatch(target, operations)).toThrow(expect.objectContaining({ code }));
  });
});

describe('strategicMergePatch', () => {
  const schema: JsonSchema = {
    properties: {
      named: {
        items: { properties: { inner: { type: 'array', 'x-kubernetes-patch-strategy': 'merge' } } },
        'x-kubernetes-patch-strategy': 'merge',
        'x-kubernetes-patch-merge-key': 'name',
      },
      set: { type: 'array', 'x-kubernetes-patch-strategy': 'merge' },
    },
  };

  it.each<[string, object, object, object]>([
    [
      'merges lists by key',
      { named: [{ name: 'a', x: 1 }] },
      { named: [{ name: 'a', y: 2 }, { name: 'b' }] },
      { named: [{ name: 'a', x: 1, y: 2 }, { name: 'b' }] },
    ],
    [
      'removes an item by key',
      { named: [{ name: 'a' }, { name: 'b' }] },
      { named: [{ name: 'a', $patch: 'delete' }] },
      { named: [{ name: 'b' }] },
    ],
    [
      'ignores the removal of an absent item',
      { named: [{ name: 'b' }] },
      { named: [{ name: 'a', $patch: 'delete' }] },
      { named: [{ name: 'b' }] },
    ],
    [
      'replaces a list by directive',
      { named: [{ name: 'a' }] },
      { named: [{ name: 'b' }, { $patch: 'replace' }] },
      { named: [{ name: 'b' }] },
    ],
    [
      'merges inside items',
      { named: [{ name: 'a', inner: [1] }] },
      { named: [{ name: 'a', inner: [2] }] },
      { named: [{ name: 'a', inner: [1, 2] }] },
    ],
    [
      'unites sets',
      { set: ['a', 'b'] },
      { set: ['b', 'c'], '$setElementOrder/set': ['a', 'b', 'c'] },
      { set: ['a', 'b', 'c'] },
    ],
    ['removes from sets', { set: ['a', 'b'] }, { '$deleteFromPrimitiveList/set': ['a'] }, { set: ['b'] }],
    ['replaces other lists', { other: [1, 2] }, { other: [3] }, { other: [3] }],
    ['removes by null', { a: 1, b: 2 }, { a: null }, { b: 2 }],
    ['replaces an object by directive', { o: { a: 1 } }, { o: { $patch: 'replace', b: 2 } }, { o: { b: 2 } }],
    [
      'keeps only retained keys',
      { o: { a: 1, b: 2 } },
      { o: { $retainKeys: ['b', 'c'], c: 3 } },
      { o: { b: 2, c: 3 } },
    ],
    ['begins lists that are absent', {}, { named: [{ name: 'a' }], set: [1] }, { named: [{ name: 'a' }], set: [1] }],
  ])('%s', (_case, target, patch, expected) => {
    const before = structuredClone(target);
    expect(strategicMergePatch(target, patch, schema)).toEqual(expected);
    expect(target).toEqual(before);
  });
});
