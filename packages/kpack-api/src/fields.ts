import { Type, type Static, type TProperties, type TSchema, type TUnsafe } from 'typebox';

/** One CEL rule of a CustomResourceDefinition; the API server refuses an object for which `rule` is false. */
export interface CelRule {
  readonly rule: string;
  readonly message: string;
  /** JSON path below the field that carries the rule, such as `.image`. */
  readonly fieldPath?: string;
  readonly reason?: 'FieldValueInvalid' | 'FieldValueForbidden' | 'FieldValueRequired' | 'FieldValueDuplicate';
}

interface TextOptions {
  readonly default?: string;
  readonly format?: 'date-time';
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly rules?: readonly CelRule[];
}

const withRules = (rules: readonly CelRule[] | undefined): object =>
  rules === undefined ? {} : { 'x-kubernetes-validations': rules };

/** A string field. */
export const text = (description: string, options: TextOptions = {}) => {
  const { rules, ...rest } = options;
  return Type.String({ description, ...rest, ...withRules(rules) });
};

/** A string field that takes one of a few words. */
export const word = <const Words extends readonly string[]>(
  words: Words,
  description: string,
  options: { readonly default?: Words[number] } = {},
): TUnsafe<Words[number]> => Type.Unsafe<Words[number]>({ type: 'string', enum: [...words], description, ...options });

/** An integer field of 64 bits, as Go's int64. */
export const int64 = (description: string) => Type.Integer({ format: 'int64', description });

interface ListOptions {
  readonly minItems?: number;
  readonly maxItems?: number;
  /** Field by which items are told apart: the list merges by item instead of as a whole. */
  readonly keyedBy?: string;
}

/** A list field; read-only in TypeScript, since objects from the API server are shared. */
export const list = <Item extends TSchema>(
  item: Item,
  description: string,
  options: ListOptions = {},
): TUnsafe<readonly Static<Item>[]> => {
  const { keyedBy, ...limits } = options;
  const kind =
    keyedBy === undefined
      ? { 'x-kubernetes-list-type': 'atomic' }
      : { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': [keyedBy] };
  return Type.Unsafe<readonly Static<Item>[]>(Type.Array(item, { description, ...limits, ...kind }));
};

/** The same field, which may also be stored as null (a Go slice or time without `omitempty` is). */
export const nullable = <Field extends TSchema>(field: Field): TUnsafe<Static<Field> | null> =>
  Type.Unsafe<Static<Field> | null>({ ...field, nullable: true });

/** The same field, which may be left out. */
export const optional = Type.Optional;

/** An object field. */
export const group = <Properties extends TProperties>(
  properties: Properties,
  description: string,
  options: { readonly default?: object; readonly rules?: readonly CelRule[] } = {},
) => {
  const { rules, ...rest } = options;
  return Type.Object(properties, { description, ...rest, ...withRules(rules) });
};

/** A map of strings. */
export const textMap = (description: string) => Type.Record(Type.String(), Type.String(), { description });
