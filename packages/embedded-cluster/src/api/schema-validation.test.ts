import { describe, expect, it } from 'vitest';
import { type JsonSchema } from './json-schema.ts';
import { validateSchema } from './schema-validation.ts';

const text: JsonSchema = { type: 'string' };
const whole: JsonSchema = { type: 'integer' };
const keyed: JsonSchema = { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['a', 'b'] };

describe('validateSchema', () => {
  it.each<[string, JsonSchema, unknown]>([
    ['text', text, 'x'],
    ['a whole number for a number', { type: 'number' }, 1],
    ['null where it is allowed', { type: 'string', nullable: true }, null],
    ['a number for int-or-string', { 'x-kubernetes-int-or-string': true }, 5],
    ['text for int-or-string', { 'x-kubernetes-int-or-string': true }, '5%'],
    ['fields that are not declared', { type: 'object', properties: { a: text } }, { b: 1 }],
    ['anything without a type', {}, [{ a: 1 }]],
    [
      'map items that differ in one key',
      keyed,
      [
        { a: 1, b: 1 },
        { a: 1, b: 2 },
      ],
    ],
    ['duplicates in a plain list', { type: 'array', items: text }, ['a', 'a']],
    ['characters beyond the basic plane as one', { type: 'string', maxLength: 1 }, '😀'],
    ['a pattern with an escape that Go knows', { type: 'string', pattern: '^[a\\-z]+$' }, 'a-z'],
    ['an unknown format', { type: 'string', format: 'zodiac' }, 'x'],
    ['a time with a fraction and an offset', { type: 'string', format: 'date-time' }, '2026-01-02T03:04:05.678+01:00'],
    ['one of several schemas', { anyOf: [text, whole] }, 1],
  ])('accepts %s', (_case, schema, value) => {
    expect(validateSchema(value, schema, 'f')).toEqual([]);
  });

  it.each<[string, JsonSchema, unknown, string, string]>([
    [
      'a wrong type',
      text,
      1,
      'FieldValueTypeInvalid',
      'Invalid value: "integer": f in body must be of type string: "integer"',
    ],
    ['null', text, null, 'FieldValueTypeInvalid', 'Invalid value: "null": f in body must be of type string: "null"'],
    [
      'a fraction for a whole number',
      whole,
      1.5,
      'FieldValueTypeInvalid',
      'Invalid value: "number": f in body must be of type integer: "number"',
    ],
    [
      'an object for a list',
      { type: 'array' },
      {},
      'FieldValueTypeInvalid',
      'Invalid value: "object": f in body must be of type array: "object"',
    ],
    [
      'a flag for int-or-string',
      { 'x-kubernetes-int-or-string': true },
      true,
      'FieldValueTypeInvalid',
      'Invalid value: "boolean": f in body must be of type integer,string: "boolean"',
    ],
    [
      'a word that is not listed',
      { enum: ['a', 'b'] },
      'c',
      'FieldValueNotSupported',
      'Unsupported value: "c": supported values: "a", "b"',
    ],
    [
      'long text',
      { type: 'string', maxLength: 2 },
      'abc',
      'FieldValueTooLong',
      'Too long: may not be more than 2 bytes',
    ],
    [
      'short text',
      { type: 'string', minLength: 1 },
      '',
      'FieldValueInvalid',
      'Invalid value: "": f in body should be at least 1 chars long',
    ],
    [
      'text off the pattern',
      { type: 'string', pattern: '^a$' },
      'b',
      'FieldValueInvalid',
      `Invalid value: "b": f in body should match '^a$'`,
    ],
    [
      'a time that is none',
      { type: 'string', format: 'date-time' },
      'noon',
      'FieldValueInvalid',
      'Invalid value: "noon": f in body must be of type date-time: "noon"',
    ],
    [
      'a small number',
      { type: 'integer', minimum: 1 },
      0,
      'FieldValueInvalid',
      'Invalid value: 0: f in body should be greater than or equal to 1',
    ],
    [
      'a number at an open bound',
      { type: 'integer', minimum: 1, exclusiveMinimum: true },
      1,
      'FieldValueInvalid',
      'Invalid value: 1: f in body should be greater than 1',
    ],
    [
      'a large number',
      { type: 'integer', maximum: 1 },
      2,
      'FieldValueInvalid',
      'Invalid value: 2: f in body should be less than or equal to 1',
    ],
    [
      'no multiple',
      { type: 'integer', multipleOf: 5 },
      6,
      'FieldValueInvalid',
      'Invalid value: 6: f in body should be a multiple of 5',
    ],
    [
      'too many items',
      { type: 'array', maxItems: 1 },
      [1, 2],
      'FieldValueTooMany',
      'Too many: 2: must have at most 1 items',
    ],
    [
      'too few items',
      { type: 'array', minItems: 1 },
      [],
      'FieldValueInvalid',
      'Invalid value: 0: f in body should have at least 1 items',
    ],
    [
      'too many fields',
      { type: 'object', maxProperties: 0 },
      { a: 1 },
      'FieldValueTooMany',
      'Too many: 1: must have at most 0 items',
    ],
    [
      'too few fields',
      { type: 'object', minProperties: 1 },
      {},
      'FieldValueInvalid',
      'Invalid value: 0: f in body should have at least 1 properties',
    ],
    [
      'none of several schemas',
      { anyOf: [text, whole] },
      true,
      'FieldValueInvalid',
      'Invalid value: true: f in body must validate at least one schema (anyOf)',
    ],
    [
      'two where one is allowed',
      { oneOf: [{}, {}] },
      1,
      'FieldValueInvalid',
      'Invalid value: 1: f in body must validate one and only one schema (oneOf)',
    ],
    [
      'what is excluded',
      { not: { enum: [1] } },
      1,
      'FieldValueInvalid',
      'Invalid value: 1: f in body must not validate the schema (not)',
    ],
  ])('refuses %s', (_case, schema, value, reason, message) => {
    expect(validateSchema(value, schema, 'f')).toEqual([{ field: 'f', reason, message }]);
  });

  it.each<[string, JsonSchema, unknown, string, string]>([
    ['an absent field', { type: 'object', required: ['a'] }, {}, 'f.a', 'Required value'],
    [
      'a field of an item',
      { type: 'array', items: { type: 'object', properties: { a: text } } },
      [{}, { a: 1 }],
      'f[1].a',
      'Invalid value: "integer": f[1].a in body must be of type string: "integer"',
    ],
    [
      'a value of a map',
      { type: 'object', additionalProperties: text },
      { k: 1 },
      'f.k',
      'Invalid value: "integer": f.k in body must be of type string: "integer"',
    ],
    [
      'a duplicate in a set',
      { type: 'array', 'x-kubernetes-list-type': 'set' },
      ['a', 'b', 'a'],
      'f[2]',
      'Duplicate value: "a"',
    ],
    [
      'a duplicate key',
      keyed,
      [
        { a: 1, b: 2, c: 3 },
        { a: 1, b: 2 },
      ],
      'f[1]',
      'Duplicate value: {"a":1,"b":2}',
    ],
    ['a part of allOf', { allOf: [{ type: 'object', required: ['a'] }] }, {}, 'f.a', 'Required value'],
  ])('names the path of %s', (_case, schema, value, field, message) => {
    expect(validateSchema(value, schema, 'f')).toMatchObject([{ field, message }]);
  });

  it('finds everything at once, and starts paths at the root', () => {
    const schema: JsonSchema = {
      type: 'object',
      required: ['b'],
      properties: { a: text, c: { type: 'array', items: whole } },
    };
    const problems = validateSchema({ a: 1, c: ['x', 2, null] }, schema);
    expect(problems.map(({ field }) => field)).toEqual(['b', 'a', 'c[0]', 'c[2]']);
  });
});
