import { describe, expect, it } from 'vitest';
import { group, list, nullable, optional, text, textMap, word } from './fields.ts';
import { structuralSchema } from './structural-schema.ts';

describe('structuralSchema', () => {
  it('turns a record into additionalProperties', () => {
    expect(structuralSchema(textMap('Labels.'), 'spec')).toEqual({
      type: 'object',
      description: 'Labels.',
      additionalProperties: { type: 'string' },
    });
  });

  it('turns a constant into an enum of one, at any depth', () => {
    const kind = { type: 'string', const: 'Pod' };
    const schema = group({ list: list(group({ kind }, 'Item.'), 'Items.') }, 'Object.');
    expect(structuralSchema(schema, 'spec').properties?.['list']?.items?.properties?.['kind']).toEqual({
      type: 'string',
      enum: ['Pod'],
    });
  });

  it('drops what a structural schema has no room for', () => {
    const schema = group({ a: optional(text('Text.')) }, 'Object.');
    const dressed = { ...schema, '~kind': 'Object', $id: 'a', additionalProperties: false };
    expect(structuralSchema(dressed, 'spec')).toEqual({
      type: 'object',
      description: 'Object.',
      properties: { a: { type: 'string', description: 'Text.' } },
    });
  });

  it('keeps nullable, enum and the extensions', () => {
    const schema = nullable(word(['a', 'b'], 'Letter.', { default: 'a' }));
    expect(structuralSchema(schema, 'spec')).toEqual({
      type: 'string',
      enum: ['a', 'b'],
      description: 'Letter.',
      default: 'a',
      nullable: true,
    });
  });

  it.each([
    ['$ref', { type: 'object', properties: { a: { type: 'string', $ref: 'x' } } }],
    ['oneOf', { type: 'object', properties: { a: { type: 'string', oneOf: [] } } }],
    ['allOf', { type: 'object', properties: { a: { type: 'string', allOf: [] } } }],
    ['anyOf', { type: 'object', properties: { a: { type: 'string', anyOf: [] } } }],
    ['not', { type: 'object', properties: { a: { type: 'string', not: {} } } }],
    ['a structural schema has a type', { type: 'object', properties: { a: {} } }],
    [
      'a structural schema has a type',
      { type: 'object', properties: { a: { anyOf: [{ type: 'string' }, { type: 'null' }] } } },
    ],
    [
      'for a record only',
      { type: 'object', properties: { a: { type: 'object', patternProperties: { a: {}, b: {} } } } },
    ],
  ])('refuses %s and names the field', (says, schema) => {
    expect(() => structuralSchema(schema, 'spec')).toThrow(says);
    expect(() => structuralSchema(schema, 'spec')).toThrow('spec.a');
  });
});
