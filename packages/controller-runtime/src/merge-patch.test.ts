import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergePatch } from './merge-patch.ts';
import { isRecord } from './object-status.ts';

/** RFC 7386, section 2, word by word. */
function apply(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const result: Record<string, unknown> = isRecord(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) Reflect.deleteProperty(result, name);
    else result[name] = apply(result[name], value);
  }
  return result;
}

describe('mergePatch', () => {
  it.each([
    { because: 'nothing differs', before: { a: [1], b: { c: 1 } }, after: { b: { c: 1 }, a: [1] }, want: undefined },
    { because: 'a member is gone', before: { retry: { attempts: 1 } }, after: {}, want: { retry: null } },
    { because: 'a list differs in one place', before: { a: [1, 2] }, after: { a: [1, 3] }, want: { a: [1, 3] } },
    {
      because: 'a member of a member differs',
      before: { retry: { attempts: 1, host: 'r' } },
      after: { retry: { attempts: 2 } },
      want: { retry: { attempts: 2, host: null } },
    },
    { because: 'a member is undefined', before: {}, after: { a: undefined }, want: undefined },
    { because: 'an empty list appears', before: {}, after: { a: [], b: {} }, want: undefined },
    { because: 'a list becomes empty', before: { a: [1] }, after: { a: [] }, want: { a: [] } },
    { because: 'a text takes the place of an object', before: { a: { b: 1 } }, after: { a: 'b' }, want: { a: 'b' } },
  ])('is $want when $because', ({ before, after, want }) => {
    expect(mergePatch(before, after)).toEqual(want);
  });

  it('makes the one out of the other', () => {
    const leaf = fc.oneof(fc.nat(2), fc.constantFrom('x', 'y'), fc.array(fc.nat(2), { minLength: 1, maxLength: 2 }));
    const tree = fc.dictionary(
      fc.constantFrom('a', 'b', 'c'),
      fc.oneof(leaf, fc.dictionary(fc.constantFrom('d', 'e'), leaf, { minKeys: 1 })),
    );
    fc.assert(
      fc.property(tree, tree, (before, after) => {
        expect(apply(before, mergePatch(before, after) ?? {})).toEqual(after);
      }),
    );
  });
});
