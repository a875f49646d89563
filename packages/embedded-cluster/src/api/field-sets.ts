import { isDeepStrictEqual } from 'node:util';
import { isRecord, valueAt } from './json-value.ts';
import { type JsonSchema } from './json-schema.ts';
import { fieldSchemaOf } from './structural-schema.ts';

/**
 * Which fields somebody owns, in the form of `fieldsV1`: `f:name` for a field, `k:{…}` for a list item by its keys,
 * `v:…` for a value of a set, `.` for an item itself. A node without children is owned with all that is below it.
 */
export interface FieldSet {
  readonly [step: string]: FieldSet;
}

/** The fields that a value sets. Lists are one field unless the schema makes them maps or sets. */
export function fieldSetOf(value: unknown, schema: JsonSchema): FieldSet {
  if (Array.isArray(value)) return itemSets(value, schema);
  if (!isRecord(value) || schema['x-kubernetes-map-type'] === 'atomic') return {};
  const entries = Object.entries(value).map(([name, field]) => {
    return [`f:${name}`, fieldSetOf(field, fieldSchemaOf(schema, name) ?? {})] as const;
  });
  return Object.fromEntries(entries);
}

function itemSets(items: readonly unknown[], schema: JsonSchema): FieldSet {
  const entries = items.flatMap((item) => {
    const step = itemStep(item, schema);
    const isKeyed = step?.startsWith('k:') === true;
    return step === undefined
      ? []
      : [[step, isKeyed ? { '.': {}, ...fieldSetOf(item, schema.items ?? {}) } : {}] as const];
  });
  return Object.fromEntries(entries);
}

/** The step that leads to an item of a map or set list; undefined in an atomic list. */
export function itemStep(item: unknown, schema: JsonSchema): string | undefined {
  const listType = schema['x-kubernetes-list-type'];
  if (listType === 'set') return `v:${JSON.stringify(item)}`;
  if (listType !== 'map') return undefined;
  const keys = [...(schema['x-kubernetes-list-map-keys'] ?? [])].sort();
  return `k:${JSON.stringify(Object.fromEntries(keys.map((key) => [key, valueAt(item, key)])))}`;
}

/** The fields of `set` that are not in `other`. */
export function subtract(set: FieldSet, other: FieldSet): FieldSet {
  const entries = Object.entries(set).flatMap(([step, below]) => {
    const otherBelow = other[step];
    if (!otherBelow) return [[step, below] as const];
    if (isLeaf(below) || isLeaf(otherBelow)) return [];
    const rest = subtract(below, otherBelow);
    return isLeaf(rest) ? [] : [[step, rest] as const];
  });
  return Object.fromEntries(entries);
}

function isLeaf(set: FieldSet): boolean {
  return Object.keys(set).length === 0;
}

/** Fields that are in both sets, and whose values differ: as paths like `.spec.id`. */
export function differingFields(
  sets: readonly [FieldSet, FieldSet],
  values: readonly [unknown, unknown],
  schema: JsonSchema,
): string[] {
  const [mine, theirs] = sets;
  return Object.entries(mine).flatMap(([step, below]) => {
    const theirBelow = theirs[step];
    if (!theirBelow || step === '.') return [];
    const inner = values.map((value) => valueAtStep(value, step, schema)) as [unknown, unknown];
    const path = step.startsWith('f:') ? `.${step.slice(2)}` : `[${step.slice(2)}]`;
    if (!isLeaf(below) && !isLeaf(theirBelow)) {
      const innerSchema = schemaAtStep(step, schema);
      return differingFields([below, theirBelow], inner, innerSchema).map((field) => path + field);
    }
    return isDeepStrictEqual(...inner) ? [] : [path];
  });
}

function valueAtStep(value: unknown, step: string, schema: JsonSchema): unknown {
  if (step.startsWith('f:')) return valueAt(value, step.slice(2));
  return Array.isArray(value) ? value.find((item) => itemStep(item, schema) === step) : undefined;
}

function schemaAtStep(step: string, schema: JsonSchema): JsonSchema {
  return (step.startsWith('f:') ? fieldSchemaOf(schema, step.slice(2)) : schema.items) ?? {};
}

/** A copy of the value without the fields of the set. */
export function withoutFields(value: unknown, set: FieldSet, schema: JsonSchema): unknown {
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown) => {
      const step = itemStep(item, schema);
      const below = step === undefined ? undefined : set[step];
      if (!below) return [item];
      return isLeaf(below) || below['.'] ? [] : [withoutFields(item, below, schema.items ?? {})];
    });
  }
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).flatMap(([name, field]) => {
    const below = set[`f:${name}`];
    if (!below) return [[name, field] as const];
    return isLeaf(below) ? [] : [[name, withoutFields(field, below, fieldSchemaOf(schema, name) ?? {})] as const];
  });
  return Object.fromEntries(kept);
}
