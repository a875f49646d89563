import type { ObjectName } from './resource-type.ts';

/** The part of `metadata` that buildkeeper reads. */
export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
  /** Opaque: compared for equality only. */
  readonly resourceVersion: string;
  readonly generation?: number;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly finalizers?: readonly string[];
}

/** Any object of the API server. Kinds narrow `spec` and `status`. */
export interface KubeObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly spec?: unknown;
  readonly status?: unknown;
}

/** An object that is not on the server yet. */
export type NewObject<T extends KubeObject> = Omit<T, 'metadata'> & {
  readonly metadata: Pick<ObjectMeta, 'name' | 'namespace' | 'labels' | 'annotations'>;
};

/** `namespace/name`, or `name` for a cluster-scoped object: the key under which stores and queues know an object. */
export function objectKey(
  object: { readonly metadata: { readonly name: string; readonly namespace?: string } } | ObjectName,
): string {
  const { name, namespace } = 'metadata' in object ? object.metadata : object;
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`;
}
