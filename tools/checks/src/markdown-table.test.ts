import { format } from 'prettier';
import { describe, expect, it } from 'vitest';
import { markdownTable } from './markdown-table.ts';

const head = ['A', 'Longer head'];

describe('markdownTable', () => {
  it.each([
    ['short cells', [['x', 'y']]],
    ['an empty cell', [['', 'y']]],
    ['a cell longer than its head', [['a cell of some length', 'y']]],
    ['a pipe', [['a|b', '`a|b`']]],
    ['a tag outside and inside of code', [['<error>', '`<error>`']]],
    ['signs beyond ASCII', [['1h ± 50 %', '… × →']]],
  ])('writes %s as prettier does', async (_, rows) => {
    const text = `${markdownTable(head, rows)}\n`;
    expect(await format(text, { parser: 'markdown' })).toBe(text);
  });

  it('keeps a cell with a pipe one cell, and a tag visible', () => {
    const [, , row = ''] = markdownTable(head, [['a|b', '<b> `<b>`']]).split('\n');
    expect(row.split(/(?<!\\)\|/)).toHaveLength(4);
    expect(row).toContain('\\<b> `<b>`');
  });
});
