import { describe, expect, it } from 'vitest';
import { type JsonSchema } from './json-schema.ts';
import { pruneUnknownFields, withDefaults } from './structural-schema.ts';
import { widgetSchema } from './testing/widget-definition.ts';

const text: JsonSchema = { type: 'string' };
const preserving: JsonSchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

describe('pruneUnknownFields', () => {
  it.each<[string, JsonSchema, unknown, unknown, string[]]>([
    ['drops what is not declared', { properties: { a: text } }, { a: 'x', b: 1 }, { a: 'x' }, ['b']],
    [
      'names the path through lists',
      { properties: { l: { items: { properties: { a: text } } } } },
      { l: [{ a: 'x' }, { b: 1 }] },
      { l: [{ a: 'x' }, {}] },
      ['l[1].b'],
    ],
    ['keeps everything where told to', preserving, { a: { b: 1 } }, { a: { b: 1 } }, []],
    [
      'prunes declared fields below a kept one',
      { ...preserving, properties: { a: { properties: { b: text } } } },
      { a: { c: 1 }, d: 1 },
      { a: {}, d: 1 },
      ['a.c'],
    ],
    [
      'keeps the values of a map',
      { additionalProperties: { properties: { a: text } } },
      { k: { a: 'x', b: 1 } },
      { k: { a: 'x' } },
      ['k.b'],
    ],
    ['keeps any value of an open map', { additionalProperties: true }, { k: { b: 1 } }, { k: { b: 1 } }, []],
    [
      'keeps the head of an embedded object',
      { 'x-kubernetes-embedded-resource': true },
      { kind: 'A', metadata: {}, x: 1 },
      { kind: 'A', metadata: {} },
      ['x'],
    ],
    [
      'knows fields named like those of every object',
      { properties: { a: text } },
      JSON.parse('{"constructor": 1}'),
      {},
      ['constructor'],
    ],
    ['leaves scalars alone', text, 'x', 'x', []],
  ])('%s', (_case, schema, value, expected, unknownFields) => {
    expect(pruneUnknownFields(value, schema)).toEqual({ value: expected, unknownFields });
  });
});

describe('withDefaults', () => {
  const schema: JsonSchema = {
    properties: {
      plain: { type: 'string', default: 'd' },
      nullable: { type: 'string', nullable: true, default: 'd' },
      bare: text,
      inner: { type: 'object', properties: { deep: { type: 'integer', default: 1 } } },
      whole: { type: 'object', default: {}, properties: { deep: { type: 'integer', default: 1 } } },
    },
  };

  it.each<[string, object, object]>([
    ['fills in what is absent', {}, { plain: 'd', nullable: 'd', whole: { deep: 1 } }],
    ['keeps what is given', { plain: 'x', whole: { deep: 2 } }, { plain: 'x', nullable: 'd', whole: { deep: 2 } }],
    [
      'treats null as absent where it is not allowed',
      { plain: null, bare: null },
      { plain: 'd', nullable: 'd', whole: { deep: 1 } },
    ],
    ['keeps null where it is allowed', { nullable: null }, { plain: 'd', nullable: null, whole: { deep: 1 } }],
    [
      'goes into objects that are there',
      { inner: {} },
      { plain: 'd', nullable: 'd', inner: { deep: 1 }, whole: { deep: 1 } },
    ],
  ])('%s', (_case, value, expected) => {
    expect(withDefaults(value, schema)).toEqual(expected);
  });

  it('fills in the items of lists, and leaves the value it was given alone', () => {
    const value = { spec: { size: 1, parts: [{ name: 'a' }, { name: 'b', count: 3 }] } };
    const before = structuredClone(value);
    expect(withDefaults(value, widgetSchema)).toEqual({
      spec: {
        size: 1,
        color: 'red',
        parts: [
          { name: 'a', count: 1 },
          { name: 'b', count: 3 },
        ],
      },
    });
    expect(value).toEqual(before);
  });

  it('hands out a copy of a default each time', () => {
    const listed: JsonSchema = { properties: { l: { type: 'array', items: text, default: [] } } };
    const first = withDefaults<{ l?: string[] }>({}, listed);
    first.l?.push('x');
    expect(withDefaults({}, listed)).toEqual({ l: [] });
  });
});
