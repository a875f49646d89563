import { type StructuralSchema } from '../structural-schema.ts';

type Check = (schema: StructuralSchema, value: unknown, path: string) => readonly string[];

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const jsonType = (value: unknown): string => {
  if (Array.isArray(value)) return 'array';
  if (Number.isInteger(value)) return 'integer';
  return typeof value;
};

const checkObject: Check = (schema, value, path) => {
  if (!isMap(value)) return [];
  const required = (schema['required'] as string[] | undefined) ?? [];
  const missing = required.filter((name) => !(name in value)).map((name) => `${path}.${name}: missing`);
  // Unknown fields are pruned, so they are no fault.
  const inner = Object.entries(value).flatMap(([name, child]) => {
    const childSchema = schema.properties?.[name] ?? schema.additionalProperties;
    return childSchema === undefined ? [] : structuralFaults(childSchema, child, `${path}.${name}`);
  });
  return [...missing, ...inner];
};

const checkArray: Check = (schema, value, path) => {
  if (!Array.isArray(value)) return [];
  const { minItems = 0, maxItems = Infinity } = schema as { minItems?: number; maxItems?: number };
  const size = value.length < minItems || value.length > maxItems ? [`${path}: ${value.length} items`] : [];
  const items = value.flatMap((item, index) => structuralFaults(schema.items ?? {}, item, `${path}[${index}]`));
  const keys = (schema['x-kubernetes-list-map-keys'] as string[] | undefined) ?? [];
  const seen = value.map((item) => JSON.stringify(keys.map((key) => (item as Record<string, unknown>)[key])));
  const twice = keys.length > 0 && new Set(seen).size < seen.length ? [`${path}: duplicate`] : [];
  return [...size, ...items, ...twice];
};

const checkText: Check = (schema, value, path) => {
  if (typeof value !== 'string') return [];
  const { minLength = 0, maxLength = Infinity } = schema as { minLength?: number; maxLength?: number };
  const words = schema['enum'] as string[] | undefined;
  const time =
    schema['format'] === 'date-time' && !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(value);
  return [
    ...(value.length < minLength || value.length > maxLength ? [`${path}: ${value.length} characters`] : []),
    ...(words !== undefined && !words.includes(value) ? [`${path}: "${value}"`] : []),
    ...(time ? [`${path}: no time`] : []),
  ];
};

/** What a structural schema refuses in a value, each fault starting with its path; CEL rules are not evaluated. */
export const structuralFaults: Check = (schema, value, path) => {
  if (value === null) return schema['nullable'] === true ? [] : [`${path}: null`];
  if (schema['type'] !== jsonType(value)) return [`${path}: not of type ${String(schema['type'])}`];
  return [checkObject, checkArray, checkText].flatMap((check) => check(schema, value, path));
};
