import fc from 'fast-check';
import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { orderToml, runToml, stackToml } from './toml.ts';

describe('the files of a builder', () => {
  it('lay out groups as Go does', () => {
    const order = [
      {
        group: [
          { id: 'a', version: '1' },
          { id: 'b', version: '2', optional: true },
        ],
      },
      { group: [{ id: 'c', version: '3' }] },
    ];
    expect(orderToml(order)).toBe(`[[order]]

  [[order.group]]
    id = "a"
    version = "1"

  [[order.group]]
    id = "b"
    version = "2"
    optional = true

[[order]]

  [[order.group]]
    id = "c"
    version = "3"
`);
  });

  it('say what they were told, whatever is in it', () => {
    const text = fc.string({ unit: 'binary', minLength: 1 }).map((one) => one.toWellFormed());
    const entry = fc.record({ id: text, version: text });
    const groups = fc.array(fc.record({ group: fc.array(entry, { minLength: 1 }) }), { minLength: 1 });
    fc.assert(
      fc.property(groups, text, (order, image) => {
        expect(parse(orderToml(order))).toEqual({ order });
        expect(parse(stackToml(image))).toEqual({ 'run-image': { image } });
        expect(parse(runToml([image, image]))).toEqual({ images: [{ image }, { image }] });
      }),
    );
  });
});
