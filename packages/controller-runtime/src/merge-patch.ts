import { isDeepStrictEqual } from 'node:util';
import { isRecord } from './object-status.ts';

/**
 * The JSON merge patch that makes `after` out of `before`: what is gone becomes null, lists are replaced whole.
 * Undefined when there is nothing to do. Undefined members, and lists and objects that are empty where there was
 * nothing, are no difference. Pure.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7386
 */
export function mergePatch(before: object, after: object): Record<string, unknown> | undefined {
  const patch = difference(withoutUndefined(before), withoutUndefined(after));
  return Object.keys(patch).length === 0 ? undefined : patch;
}

function difference(before: Record<string, unknown>, after: Record<string, unknown>): Record<string, unknown> {
  const patch: Record<string, unknown> = {};
  for (const name of Object.keys(before)) if (!(name in after)) patch[name] = null;
  for (const [name, value] of Object.entries(after)) {
    const old = before[name];
    if (isDeepStrictEqual(old, value) || (old === undefined && isEmpty(value))) continue;
    if (isRecord(old) && isRecord(value)) {
      const inner = difference(old, value);
      if (Object.keys(inner).length > 0) patch[name] = inner;
    } else patch[name] = value;
  }
  return patch;
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) ? value.length === 0 : isRecord(value) && Object.keys(value).length === 0;
}

function withoutUndefined(value: object): Record<string, unknown> {
  return JSON.parse(JSON.stringify(value)) as Record<string, unknown>;
}
