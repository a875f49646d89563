/** A JSON schema in the form that a CustomResourceDefinition accepts. */
export interface StructuralSchema {
  readonly [keyword: string]: unknown;
  readonly properties?: Readonly<Record<string, StructuralSchema>>;
  readonly items?: StructuralSchema;
  readonly additionalProperties?: StructuralSchema;
}

const refused = new Set(['$ref', 'oneOf', 'anyOf', 'allOf', 'not', 'if', 'then', 'else', 'patternProperties']);
const dropped = new Set(['$id', '$schema']);

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const convertAll = (schemas: unknown, path: string): Record<string, StructuralSchema> => {
  if (!isObject(schemas)) throw new TypeError(`${path}: no map of schemas`);
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, structuralSchema(schema, `${path}.${name}`)]),
  );
};

/** One schema for every key is what a record is; any other pattern has no structural form. */
const recordValue = (patterns: unknown, path: string): StructuralSchema => {
  const schemas = isObject(patterns) ? Object.values(patterns) : [];
  if (schemas.length !== 1) throw new TypeError(`${path}: patternProperties is structural for a record only`);
  return structuralSchema(schemas[0], `${path}.*`);
};

const convertKeyword = (keyword: string, value: unknown, path: string): [string, unknown] | undefined => {
  if (keyword.startsWith('~') || dropped.has(keyword)) return undefined;
  if (keyword === 'patternProperties') return ['additionalProperties', recordValue(value, path)];
  if (refused.has(keyword)) throw new TypeError(`${path}: ${keyword} is not allowed in a structural schema`);
  if (keyword === 'const') return ['enum', [value]];
  if (keyword === 'properties') return ['properties', convertAll(value, path)];
  if (keyword === 'items') return ['items', structuralSchema(value, `${path}[]`)];
  // Unknown fields are pruned by the API server; refusing them is no structural keyword.
  if (keyword === 'additionalProperties') {
    return value === false ? undefined : ['additionalProperties', structuralSchema(value, `${path}.*`)];
  }
  return [keyword, value];
};

/**
 * The structural form of a TypeBox schema.
 *
 * @param path where the schema stands, for the message
 * @throws TypeError when the schema uses what a structural schema can't say, naming the path and the keyword
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema
 */
export const structuralSchema = (schema: unknown, path: string): StructuralSchema => {
  if (!isObject(schema)) throw new TypeError(`${path}: not a schema`);
  if (typeof schema['type'] !== 'string') throw new TypeError(`${path}: a structural schema has a type`);
  const keywords = Object.entries(schema).map(([keyword, value]) => convertKeyword(keyword, value, path));
  return Object.fromEntries(keywords.filter((entry) => entry !== undefined));
};
