import { isDeepStrictEqual } from 'node:util';
import { isRecord, type JsonRecord, listAt } from './json-value.ts';
import { type JsonSchema } from './json-schema.ts';
import { fieldSchemaOf } from './structural-schema.ts';

const orderDirective = '$setElementOrder/';
const removalDirective = '$deleteFromPrimitiveList/';

/**
 * The value after a strategic merge patch: as a JSON merge patch, but lists that the schema gives a merge strategy to are merged,
 * by key or as sets. Unknown directives are left out.
 *
 * @see https://github.com/kubernetes/community/blob/main/contributors/devel/sig-api-machinery/strategic-merge-patch.md
 */
export function strategicMergePatch(target: unknown, patch: unknown, schema: JsonSchema): unknown {
  if (!isRecord(patch)) return patch;
  const { $patch: directive, $retainKeys: retained, ...changes } = patch;
  if (directive === 'replace') return changes;
  if (directive === 'delete') return {};
  const merged: JsonRecord = isRecord(target) ? retain(target, retained) : {};
  for (const [name, change] of Object.entries(changes)) {
    if (name.startsWith(orderDirective)) continue;
    if (name.startsWith(removalDirective)) removeItems(merged, name.slice(removalDirective.length), change);
    else if (change === null) Reflect.deleteProperty(merged, name);
    else merged[name] = mergedField(merged[name], change, fieldSchemaOf(schema, name) ?? {});
  }
  return merged;
}

function retain(target: JsonRecord, names: unknown): JsonRecord {
  if (!Array.isArray(names)) return { ...target };
  return Object.fromEntries(Object.entries(target).filter(([name]) => names.includes(name)));
}

function removeItems(merged: JsonRecord, name: string, removed: unknown): void {
  if (!Array.isArray(removed)) return;
  const isRemoved = (item: unknown) => removed.some((candidate) => isDeepStrictEqual(candidate, item));
  merged[name] = listAt(merged, name).filter((item) => !isRemoved(item));
}

function mergedField(current: unknown, change: unknown, schema: JsonSchema): unknown {
  if (!Array.isArray(change)) return strategicMergePatch(current, change, schema);
  if (schema['x-kubernetes-patch-strategy'] !== 'merge') return change;
  const items: readonly unknown[] = Array.isArray(current) ? current : [];
  const key = schema['x-kubernetes-patch-merge-key'];
  return key === undefined ? union(items, change) : mergeByKey(items, change, { key, schema: schema.items ?? {} });
}

function union(items: readonly unknown[], added: readonly unknown[]): unknown[] {
  return [...items, ...added.filter((item) => !items.some((known) => isDeepStrictEqual(known, item)))];
}

function mergeByKey(
  items: readonly unknown[],
  changes: readonly unknown[],
  by: { key: string; schema: JsonSchema },
): unknown[] {
  const directiveOf = (change: unknown): unknown => (isRecord(change) ? change['$patch'] : undefined);
  const isReplaced = changes.some((change) => directiveOf(change) === 'replace');
  const merged: unknown[] = isReplaced ? [] : [...items];
  for (const change of changes) {
    if (!isRecord(change) || directiveOf(change) === 'replace') continue;
    const found = merged.findIndex((item) => isRecord(item) && item[by.key] === change[by.key]);
    if (directiveOf(change) === 'delete') merged.splice(found, found < 0 ? 0 : 1);
    else if (found < 0) merged.push(strategicMergePatch({}, change, by.schema));
    else merged[found] = strategicMergePatch(merged[found], change, by.schema);
  }
  return merged;
}
