import { isRecord, listAt, stringAt, valueAt } from './json-value.ts';
import { type JsonSchema } from './json-schema.ts';
import { type StatusCause } from './statuses.ts';
import { parseJsonPath } from './json-path.ts';
import { patternOf } from './schema-patterns.ts';
import { requiredValue, validateSchema } from './schema-validation.ts';

/** What is wrong with one version of a CustomResourceDefinition: a schema that is not structural, or a column that can't be read. */
export function versionProblems(version: unknown, path: string): StatusCause[] {
  const schema = valueAt(version, 'schema', 'openAPIV3Schema');
  const schemaPath = `${path}.schema.openAPIV3Schema`;
  if (!isRecord(schema)) return [requiredValue(schemaPath, 'schemas are required')];
  return [...rootProblems(schema, schemaPath), ...schemaProblems(schema, schemaPath), ...columnProblems(version, path)];
}

function rootProblems(schema: JsonSchema, path: string): StatusCause[] {
  return schema.type === 'object' ? [] : [invalid(`${path}.type`, schema.type, 'must be object at the root')];
}

function columnProblems(version: unknown, path: string): StatusCause[] {
  return listAt(version, 'additionalPrinterColumns').flatMap((column, index) => {
    const jsonPath = stringAt(column, 'jsonPath') ?? '';
    const problem = thrownBy(() => parseJsonPath(jsonPath));
    return problem ? [invalid(`${path}.additionalPrinterColumns[${index}].jsonPath`, jsonPath, problem)] : [];
  });
}

function thrownBy(act: () => unknown): string | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function schemaProblems(schema: JsonSchema, path: string): StatusCause[] {
  const inner = innerSchemas(schema).flatMap(([step, part]) => schemaProblems(part, `${path}.${step}`));
  return [...checks.flatMap((check) => check(schema, path)), ...inner];
}

function innerSchemas({ properties = {}, items, additionalProperties }: JsonSchema): (readonly [string, JsonSchema])[] {
  const fields = Object.entries(properties).map(([name, part]) => [`properties[${name}]`, part] as const);
  const others = isRecord(additionalProperties) ? [['additionalProperties', additionalProperties] as const] : [];
  return [...fields, ...(items ? [['items', items] as const] : []), ...others];
}

const checks: readonly ((schema: JsonSchema, path: string) => StatusCause[])[] = [
  function hasType(schema, path) {
    const isFree = schema['x-kubernetes-int-or-string'] ?? schema['x-kubernetes-preserve-unknown-fields'];
    return schema.type !== undefined || isFree === true
      ? []
      : [requiredValue(`${path}.type`, 'must not be empty for specified object fields')];
  },
  function hasOneKindOfFields(schema, path) {
    const isBoth = schema.properties !== undefined && schema.additionalProperties !== undefined;
    return isBoth ? [forbidden(`${path}.additionalProperties`, 'is mutually exclusive with properties')] : [];
  },
  function hasItems(schema, path) {
    return schema.type === 'array' && !schema.items ? [requiredValue(`${path}.items`, 'must be specified')] : [];
  },
  function hasMapKeys(schema, path) {
    if (schema['x-kubernetes-list-type'] !== 'map') return [];
    const { required = [], properties = {} } = schema.items ?? {};
    const keys = schema['x-kubernetes-list-map-keys'] ?? [];
    if (keys.length === 0)
      return [requiredValue(`${path}.x-kubernetes-list-map-keys`, 'must not be empty for a map list')];
    return keys
      .filter((key) => !required.includes(key) && properties[key]?.default === undefined)
      .map((key) =>
        requiredValue(`${path}.items.properties[${key}].default`, 'a key of a map list is required or has a default'),
      );
  },
  function hasValidDefault(schema, path) {
    if (schema.default === undefined) return [];
    return validateSchema(schema.default, schema, `${path}.default`);
  },
  function hasReadablePattern(schema, path) {
    const { pattern } = schema;
    const problem = pattern === undefined ? undefined : thrownBy(() => patternOf(pattern));
    return problem === undefined ? [] : [invalid(`${path}.pattern`, pattern, problem)];
  },
];

function invalid(field: string, value: unknown, problem: string): StatusCause {
  return { field, reason: 'FieldValueInvalid', message: `Invalid value: ${JSON.stringify(value ?? '')}: ${problem}` };
}

function forbidden(field: string, problem: string): StatusCause {
  return { field, reason: 'FieldValueForbidden', message: `Forbidden: ${problem}` };
}
