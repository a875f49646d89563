import type { KubeObject } from './kube-object.ts';
import { apiVersionOf, type ResourceType } from './resource-type.ts';

/** A second copy of the whole object, in text. For a Secret it even holds the data. */
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * The object as a store keeps it: without managed fields and without kubectl's copy of it, and with the kind that lists
 * of built-in types leave out. A new object, because `delete` makes objects slow and saves little memory.
 *
 * @param metadataOnly keeps nothing but the metadata, whatever the server sent
 */
export function trimObject<T extends KubeObject>(object: T, type: ResourceType, metadataOnly: boolean): T {
  const metadata = without(object.metadata, 'managedFields');
  const { annotations } = object.metadata;
  return {
    ...(metadataOnly ? {} : object),
    apiVersion: apiVersionOf(type),
    kind: type.kind,
    metadata: annotations === undefined ? metadata : { ...metadata, annotations: without(annotations, lastApplied) },
  } as unknown as T;
}

function without(object: object, name: string): object {
  return Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));
}
