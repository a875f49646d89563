import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineSplitter } from './lines.ts';

describe('LineSplitter', () => {
  it('gives back the lines however the bytes are cut', () => {
    const line = fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\n', ' ').toWellFormed());
    const chunkSizes = fc.infiniteStream(fc.integer({ min: 1, max: 7 }));
    fc.assert(
      fc.property(fc.array(line), chunkSizes, (lines, sizes) => {
        const bytes = Buffer.from(lines.map((one) => `${one}\n`).join(''));
        const splitter = new LineSplitter(10_000);
        const seen: string[] = [];
        let from = 0;
        while (from < bytes.length) {
          const size = sizes.next().value as number;
          seen.push(...splitter.push(bytes.subarray(from, from + size)));
          from += size;
        }
        expect(seen).toEqual(lines);
      }),
    );
  });

  it('splits nowhere but at line feeds', () => {
    const text = 'a\u2028b\u2029c\u0085d\re\vf\fg';
    expect(new LineSplitter(100).push(Buffer.from(`${text}\nrest`))).toEqual([text]);
  });

  it('refuses a line beyond its limit, in one piece or many', () => {
    expect(() => new LineSplitter(4).push(Buffer.from('12345'))).toThrow(RangeError);
    const splitter = new LineSplitter(4);
    expect(splitter.push(Buffer.from('1234\n123'))).toEqual(['1234']);
    expect(() => splitter.push(Buffer.from('45'))).toThrow(RangeError);
  });
});
