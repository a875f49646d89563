import { isRecord, type JsonRecord } from './json-value.ts';
import { type JsonSchema } from './json-schema.ts';

/** A value after pruning, and the paths of the fields that were dropped. */
export interface Pruned<T> {
  readonly value: T;
  readonly unknownFields: readonly string[];
}

/** Drops every field that the schema does not declare, save below `x-kubernetes-preserve-unknown-fields`. */
export function pruneUnknownFields<T>(value: T, schema: JsonSchema): Pruned<T> {
  const unknownFields: string[] = [];
  return { value: pruned(value, schema, '', unknownFields) as T, unknownFields };
}

function pruned(value: unknown, schema: JsonSchema, path: string, unknownFields: string[]): unknown {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items ? value.map((item, index) => pruned(item, items, `${path}[${index}]`, unknownFields)) : value;
  }
  if (!isRecord(value)) return value;
  const kept: JsonRecord = {};
  for (const [name, field] of Object.entries(value)) {
    const fieldPath = path ? `${path}.${name}` : name;
    const fieldSchema = fieldSchemaOf(schema, name);
    if (fieldSchema) kept[name] = pruned(field, fieldSchema, fieldPath, unknownFields);
    else if (keepsUnknown(schema, name)) kept[name] = field;
    else unknownFields.push(fieldPath);
  }
  return kept;
}

const embeddedHead = ['apiVersion', 'kind', 'metadata'];

function keepsUnknown(schema: JsonSchema, name: string): boolean {
  if (schema['x-kubernetes-preserve-unknown-fields'] === true || schema.additionalProperties === true) return true;
  return schema['x-kubernetes-embedded-resource'] === true && embeddedHead.includes(name);
}

/** Schema of a named field: a declared property, or the one for all others; undefined when there is neither. */
export function fieldSchemaOf(schema: JsonSchema, name: string): JsonSchema | undefined {
  const declared = schema.properties && Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
  if (declared) return declared;
  return isRecord(schema.additionalProperties) ? schema.additionalProperties : undefined;
}

/**
 * Fills in what the schema gives a default for, in a copy. A null where null is not allowed counts as absent:
 * it takes the default, or vanishes.
 */
export function withDefaults<T>(value: T, schema: JsonSchema): T {
  return defaulted(value, schema) as T;
}

function defaulted(value: unknown, schema: JsonSchema): unknown {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items ? value.map((item) => defaulted(item, items)) : value;
  }
  if (!isRecord(value)) return value;
  const filled: JsonRecord = {};
  for (const [name, field] of Object.entries(value)) {
    const fieldSchema = fieldSchemaOf(schema, name);
    if (field === null && fieldSchema && fieldSchema.nullable !== true) continue;
    filled[name] = fieldSchema ? defaulted(field, fieldSchema) : field;
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (property.default === undefined || Object.hasOwn(filled, name)) continue;
    filled[name] = defaulted(structuredClone(property.default), property);
  }
  return filled;
}
