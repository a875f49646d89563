import { isDeepStrictEqual } from 'node:util';
import { isRecord, type JsonRecord, stringAt, valueAt } from './json-value.ts';
import { ApiError, badRequest } from './statuses.ts';

/**
 * The value after a JSON merge patch: objects merge, null removes, everything else replaces.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7396
 */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const merged: JsonRecord = isRecord(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) Reflect.deleteProperty(merged, name);
    else merged[name] = mergePatch(merged[name], value);
  }
  return merged;
}

/**
 * The value after a JSON patch. Throws 400 for a patch that can't be read, 422 for one that can't be applied.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6902
 */
export function jsonPatch(target: unknown, operations: unknown): unknown {
  if (!Array.isArray(operations)) throw badRequest('a JSON patch is an array of operations');
  return operations.reduce<unknown>(applyOperation, structuredClone(target));
}

function applyOperation(root: unknown, operation: unknown): unknown {
  const path = pointerOf(operation, 'path');
  const value = structuredClone(valueAt(operation, 'value'));
  switch (stringAt(operation, 'op')) {
    case 'add':
      return added(root, path, value);
    case 'replace':
      return added(removed(root, path), path, value);
    case 'remove':
      return removed(root, path);
    case 'move': {
      const from = pointerOf(operation, 'from');
      const moved = found(root, from);
      return added(removed(root, from), path, moved);
    }
    case 'copy':
      return added(root, path, structuredClone(found(root, pointerOf(operation, 'from'))));
    case 'test':
      if (!isDeepStrictEqual(found(root, path), value)) throw unprocessable(`testing value /${path.join('/')} failed`);
      return root;
    default:
      throw badRequest(`unknown JSON patch operation: ${JSON.stringify(operation)}`);
  }
}

function pointerOf(operation: unknown, field: string): readonly string[] {
  const pointer = stringAt(operation, field);
  if (pointer === undefined || (pointer && !pointer.startsWith('/'))) throw badRequest(`a JSON patch needs a ${field}`);
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function found(root: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, part) => {
    const child: unknown = Array.isArray(value) ? value[indexOf(value, part)] : valueAt(value, part);
    if (child === undefined) throw missing(path);
    return child;
  }, root);
}

function added(root: unknown, path: readonly string[], value: unknown): unknown {
  const [parentPath, last] = split(path);
  if (last === undefined) return value;
  const parent = found(root, parentPath);
  if (Array.isArray(parent)) parent.splice(last === '-' ? parent.length : indexOf(parent, last, 1), 0, value);
  else if (isRecord(parent)) parent[last] = value;
  else throw missing(path);
  return root;
}

function removed(root: unknown, path: readonly string[]): unknown {
  const [parentPath, last] = split(path);
  found(root, path);
  const parent = found(root, parentPath);
  if (last === undefined) return null;
  if (Array.isArray(parent)) parent.splice(indexOf(parent, last), 1);
  else if (isRecord(parent)) Reflect.deleteProperty(parent, last);
  return root;
}

function split(path: readonly string[]): [readonly string[], string | undefined] {
  return [path.slice(0, -1), path.at(-1)];
}

function indexOf(list: readonly unknown[], part: string, beyond = 0): number {
  const index = Number(part);
  if (!/^\d+$/.test(part) || index >= list.length + beyond) throw unprocessable(`invalid array index ${part}`);
  return index;
}

function missing(path: readonly string[]): ApiError {
  return unprocessable(`the path /${path.join('/')} does not exist`);
}

function unprocessable(message: string): ApiError {
  return new ApiError({
    code: 422,
    reason: 'Invalid',
    message: `the server rejected our request due to an error in our request: ${message}`,
  });
}
