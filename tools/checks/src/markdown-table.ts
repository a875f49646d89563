/** Outside of code a pipe would end the cell and a tag would vanish; inside of it only the pipe matters. */
const escaped = (cell: string): string =>
  cell
    .split(/(`[^`]*`)/)
    .map((part, index) =>
      (index % 2 === 1 ? part : part.replaceAll('<', String.raw`\<`)).replaceAll('|', String.raw`\|`),
    )
    .join('');

/** A Markdown table, padded as prettier pads it. Every row has as many cells as the head. */
export const markdownTable = (head: readonly string[], rows: readonly (readonly string[])[]): string => {
  const lines = [head, ...rows].map((row) => row.map(escaped));
  const widths = head.map((_, column) => Math.max(3, ...lines.map((line) => line[column]?.length ?? 0)));
  const lineOf = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const padded = lines.map((line) => lineOf(widths.map((width, column) => (line[column] ?? '').padEnd(width))));
  const rule = lineOf(widths.map((width) => '-'.repeat(width)));
  return [padded[0], rule, ...padded.slice(1)].join('\n');
};
