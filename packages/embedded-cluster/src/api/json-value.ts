/** A JSON object of unknown shape. */
export type JsonRecord = Record<string, unknown>;

/** `metadata` of a Kubernetes object, as far as the server itself reads it. */
export interface ObjectMetadata {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: readonly string[];
  managedFields?: readonly JsonRecord[];
  [field: string]: unknown;
}

/** A Kubernetes object. What storage hands out is shared and must not be changed: make a copy first. */
export interface ApiObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMetadata;
  [field: string]: unknown;
}

/** Whether the value is a JSON object: neither null, nor an array, nor a scalar. */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at a chain of property names; undefined where the chain leaves the objects. */
export function valueAt(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((current, name) => (isRecord(current) ? current[name] : undefined), value);
}

/** The string at a chain of property names; undefined when it is absent or no string. */
export function stringAt(value: unknown, ...path: readonly string[]): string | undefined {
  const found = valueAt(value, ...path);
  return typeof found === 'string' ? found : undefined;
}

/** The array at a chain of property names; empty when it is absent or no array. */
export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = valueAt(value, ...path);
  return Array.isArray(found) ? (found as unknown[]) : [];
}

/** `namespace/name`, or `name` for a cluster-scoped object: the key of an object within its collection. */
export function objectKey(namespace: string | undefined, name: string): string {
  return namespace ? `${namespace}/${name}` : name;
}

/** A copy without the named properties. */
export function omit<T extends JsonRecord>(record: T, ...names: readonly string[]): T {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name))) as T;
}
