import { isDeepStrictEqual } from 'node:util';
import { isRecord, type JsonRecord } from './json-value.ts';
import { type JsonSchema } from './json-schema.ts';
import { fieldSchemaOf } from './structural-schema.ts';
import { type StatusCause } from './statuses.ts';
import { patternOf } from './schema-patterns.ts';
import { hasFormat } from './formats.ts';

/** Everything in the value that breaks the schema, each problem with the path of its field. */
export function validateSchema(value: unknown, schema: JsonSchema, path = ''): StatusCause[] {
  if (value === null && schema.nullable === true) return [];
  const mistyped = typeProblem(value, schema, path);
  if (mistyped) return [mistyped];
  return [
    ...scalarProblems(value, schema, path),
    ...combinedProblems(value, schema, path),
    ...inner(value, schema, path),
  ];
}

function inner(value: unknown, schema: JsonSchema, path: string): StatusCause[] {
  if (Array.isArray(value)) return listProblems(value, schema, path);
  return isRecord(value) ? objectProblems(value, schema, path) : [];
}

function typeProblem(value: unknown, schema: JsonSchema, path: string): StatusCause | undefined {
  const actual = typeOf(value);
  if (schema['x-kubernetes-int-or-string'] === true) {
    return ['integer', 'string'].includes(actual) ? undefined : mistyped(path, 'integer,string', actual);
  }
  if (!schema.type || schema.type === actual) return undefined;
  if (schema.type === 'number' && actual === 'integer') return undefined;
  return mistyped(path, schema.type, actual);
}

function mistyped(path: string, wanted: string, actual: string): StatusCause {
  const message = `Invalid value: "${actual}": ${path} in body must be of type ${wanted}: "${actual}"`;
  return { field: path, reason: 'FieldValueTypeInvalid', message };
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

function scalarProblems(value: unknown, schema: JsonSchema, path: string): StatusCause[] {
  const problems: StatusCause[] = [];
  if (schema.enum && !schema.enum.some((allowed) => isDeepStrictEqual(allowed, value))) {
    const supported = schema.enum.map((allowed) => JSON.stringify(allowed)).join(', ');
    const message = `Unsupported value: ${JSON.stringify(value)}: supported values: ${supported}`;
    problems.push({ field: path, reason: 'FieldValueNotSupported', message });
  }
  if (typeof value === 'string') problems.push(...stringProblems(value, schema, path));
  if (typeof value === 'number') problems.push(...numberProblems(value, schema, path));
  return problems;
}

function stringProblems(value: string, schema: JsonSchema, path: string): StatusCause[] {
  const { minLength, maxLength, pattern, format } = schema;
  const problems: StatusCause[] = [];
  const length = Array.from(value).length;
  if (maxLength !== undefined && length > maxLength) {
    problems.push({
      field: path,
      reason: 'FieldValueTooLong',
      message: `Too long: may not be more than ${maxLength} bytes`,
    });
  }
  if (minLength !== undefined && length < minLength) {
    problems.push(invalidValue(value, path, `should be at least ${minLength} chars long`));
  }
  if (pattern !== undefined && !patternOf(pattern).test(value)) {
    problems.push(invalidValue(value, path, `should match '${pattern}'`));
  }
  if (format !== undefined && !hasFormat(value, format)) {
    problems.push(invalidValue(value, path, `must be of type ${format}: ${JSON.stringify(value)}`));
  }
  return problems;
}

function numberProblems(value: number, schema: JsonSchema, path: string): StatusCause[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const problems: StatusCause[] = [];
  if (minimum !== undefined && (exclusiveMinimum ? value <= minimum : value < minimum)) {
    const bound = exclusiveMinimum ? 'greater than' : 'greater than or equal to';
    problems.push(invalidValue(value, path, `should be ${bound} ${minimum}`));
  }
  if (maximum !== undefined && (exclusiveMaximum ? value >= maximum : value > maximum)) {
    const bound = exclusiveMaximum ? 'less than' : 'less than or equal to';
    problems.push(invalidValue(value, path, `should be ${bound} ${maximum}`));
  }
  if (multipleOf !== undefined && value % multipleOf !== 0) {
    problems.push(invalidValue(value, path, `should be a multiple of ${multipleOf}`));
  }
  return problems;
}

function listProblems(value: readonly unknown[], schema: JsonSchema, path: string): StatusCause[] {
  const { minItems, maxItems, items } = schema;
  const problems: StatusCause[] = [];
  if (maxItems !== undefined && value.length > maxItems) {
    const message = `Too many: ${value.length}: must have at most ${maxItems} items`;
    problems.push({ field: path, reason: 'FieldValueTooMany', message });
  }
  if (minItems !== undefined && value.length < minItems) {
    problems.push(invalidValue(value.length, path, `should have at least ${minItems} items`));
  }
  problems.push(...duplicateProblems(value, schema, path));
  if (!items) return problems;
  return [...problems, ...value.flatMap((item, index) => validateSchema(item, items, `${path}[${index}]`))];
}

function duplicateProblems(value: readonly unknown[], schema: JsonSchema, path: string): StatusCause[] {
  const listType = schema['x-kubernetes-list-type'];
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  if (listType !== 'set' && listType !== 'map' && schema.uniqueItems !== true) return [];
  const seen = new Set<string>();
  return value.flatMap((item, index) => {
    const identity =
      listType === 'map' && isRecord(item) ? Object.fromEntries(keys.map((key) => [key, item[key]])) : item;
    const text = JSON.stringify(identity);
    const isNew = !seen.has(text);
    seen.add(text);
    const problem = { field: `${path}[${index}]`, reason: 'FieldValueDuplicate', message: `Duplicate value: ${text}` };
    return isNew ? [] : [problem];
  });
}

function objectProblems(value: JsonRecord, schema: JsonSchema, path: string): StatusCause[] {
  const { minProperties, maxProperties } = schema;
  const count = Object.keys(value).length;
  const problems = (schema.required ?? [])
    .filter((name) => !Object.hasOwn(value, name))
    .map((name) => requiredValue(join(path, name)));
  if (maxProperties !== undefined && count > maxProperties) {
    const message = `Too many: ${count}: must have at most ${maxProperties} items`;
    problems.push({ field: path, reason: 'FieldValueTooMany', message });
  }
  if (minProperties !== undefined && count < minProperties) {
    problems.push(invalidValue(count, path, `should have at least ${minProperties} properties`));
  }
  for (const [name, field] of Object.entries(value)) {
    const fieldSchema = fieldSchemaOf(schema, name);
    if (fieldSchema) problems.push(...validateSchema(field, fieldSchema, join(path, name)));
  }
  return problems;
}

function combinedProblems(value: unknown, schema: JsonSchema, path: string): StatusCause[] {
  const passes = (part: JsonSchema) => validateSchema(value, part, path).length === 0;
  const problems = (schema.allOf ?? []).flatMap((part) => validateSchema(value, part, path));
  if (schema.anyOf && !schema.anyOf.some(passes)) {
    problems.push(invalidValue(value, path, 'must validate at least one schema (anyOf)'));
  }
  if (schema.oneOf && schema.oneOf.filter(passes).length !== 1) {
    problems.push(invalidValue(value, path, 'must validate one and only one schema (oneOf)'));
  }
  if (schema.not && passes(schema.not)) {
    problems.push(invalidValue(value, path, 'must not validate the schema (not)'));
  }
  return problems;
}

function join(path: string, name: string): string {
  return path ? `${path}.${name}` : name;
}

/** The cause for a field that must be there. */
export function requiredValue(field: string, detail = ''): StatusCause {
  return { field, reason: 'FieldValueRequired', message: detail ? `Required value: ${detail}` : 'Required value' };
}

function invalidValue(value: unknown, path: string, problem: string): StatusCause {
  return {
    field: path,
    reason: 'FieldValueInvalid',
    message: `Invalid value: ${JSON.stringify(value)}: ${path} in body ${problem}`,
  };
}
