import { describe, expect, it } from 'vitest';
import { docCoverage } from './doc-comments.ts';

const path = 'packages/a/src/a.ts';
const coverageOf = (text: string) => docCoverage([{ path, text }]);

describe('docCoverage', () => {
  it.each([
    ['a function', '/** Says. */\nexport function a() {}'],
    ['a constant', '/** Says. */\nexport const a = 1;'],
    ['a type', '/** Says. */\nexport type A = string;'],
    ['an interface', '/** Says. */\nexport interface A { b: string }'],
    ['a class', '/** Says. */\nexport abstract class A {}'],
    ['a name that is listed at the end', '/** Says. */\nconst a = 1;\nexport { a as b };'],
    ['an overloaded function', '/** Says. */\nexport function a(): void;\nexport function a(b?: string): void {}'],
  ])('finds the comment of %s', (_, text) => {
    expect(coverageOf(text)).toEqual({ exported: 1, undocumented: [] });
  });

  it.each([
    ['no comment', 'export const a = 1;'],
    ['a line comment', '// Says.\nexport const a = 1;'],
    ['a plain block', '/* Says. */\nexport const a = 1;'],
    ['the comment of another name', '/** Says. */\nconst b = 1;\nexport const a = b;'],
    ['a listed name without one', 'const a = 1;\nexport { a };'],
  ])('takes %s for none', (_, text) => {
    const { exported, undocumented } = coverageOf(text);
    expect(exported).toBe(1);
    expect(undocumented).toEqual([expect.stringMatching(/^packages\/a\/src\/a\.ts:\d: a$/)]);
  });

  it('counts each name of a statement, and names line and name', () => {
    const { undocumented } = coverageOf('\nexport const a = 1, b = 2;\n/** Says. */\nexport const c = 3;');
    expect(undocumented).toEqual([`${path}:2: a`, `${path}:2: b`]);
  });

  it.each(['packages/a/src/a.test.ts', 'packages/a/src/index.ts', 'tools/a/src/a.ts', 'packages/a/tests/a.ts'])(
    'leaves %s out',
    (other) => {
      expect(docCoverage([{ path: other, text: 'export const a = 1;' }]).exported).toBe(0);
    },
  );

  it('counts neither what stays in the file nor what another file declares', () => {
    expect(coverageOf("const a = 1;\nexport { b } from './b.ts';\nexport type { C } from './c.ts';").exported).toBe(0);
  });
});
