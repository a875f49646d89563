/** A kind of object as the API server names it. Any object of this shape will do; no list of kinds is kept here. */
export interface ResourceType {
  /** API group; empty for the core group. */
  readonly group: string;
  readonly version: string;
  /** Lower-case plural, as in the path. */
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

/** Names one object. A cluster-scoped object has no namespace. */
export interface ObjectName {
  readonly name: string;
  readonly namespace?: string;
}

/** `group/version`, or the bare version for the core group: the `apiVersion` of the objects. */
export function apiVersionOf(type: ResourceType): string {
  return type.group === '' ? type.version : `${type.group}/${type.version}`;
}

/** Path of a collection, of every namespace or of one. */
export function collectionPath(type: ResourceType, namespace?: string): string {
  const root = type.group === '' ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`;
  const scope = type.namespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  return `${root}${scope}/${type.plural}`;
}

/** Path of one object, or of one of its subresources. */
export function objectPath(type: ResourceType, { name, namespace }: ObjectName, subresource?: 'status'): string {
  const path = `${collectionPath(type, namespace)}/${encodeURIComponent(name)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}
