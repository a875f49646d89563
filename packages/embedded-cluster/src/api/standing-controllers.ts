import { type ApiObject, objectKey } from './json-value.ts';
import { type ClusterState } from './cluster-state.ts';
import { builtInResources, definitionCollection, namespaceCollection } from './built-in-resources.ts';
import { createObject, type WriteContext } from './object-writes.ts';

/**
 * What a cluster does by itself: serve the kinds of CustomResourceDefinitions, give each namespace its ServiceAccount
 * `default`, and clear away what belonged to a deleted definition or namespace. All at once, within the write.
 */
export function startStandingControllers(state: ClusterState): void {
  state.storage.subscribe(definitionCollection, ({ type, object, previous }) => {
    if (previous && type === 'DELETED') clear(state, previous);
    if (type === 'DELETED') state.catalog.undefine(object);
    else state.catalog.define(object);
  });
  state.storage.subscribe(namespaceCollection, ({ type, object }) => {
    const namespace = object.metadata.name ?? '';
    if (type === 'ADDED') createBuiltIn(state, { kind: 'ServiceAccount', metadata: { name: 'default' } }, namespace);
    if (type === 'DELETED') clearNamespace(state, namespace);
  });
}

/** Stores an object of a built-in kind, as if it had been posted. */
export function createBuiltIn(state: ClusterState, object: object, namespace?: string): void {
  const kind = 'kind' in object ? object.kind : undefined;
  const resource = builtInResources.find((candidate) => candidate.kind === kind);
  if (!resource) throw new Error(`No built-in kind ${String(kind)}`);
  const options: WriteContext['options'] = { dryRun: false, fieldValidation: 'Ignore', warnings: [] };
  createObject({ storage: state.storage, resource, options }, object, namespace);
}

function clear(state: ClusterState, definition: ApiObject): void {
  const collection = definition.metadata.name ?? '';
  for (const object of state.storage.list(collection)) removeFrom(state, collection, object);
}

function clearNamespace(state: ClusterState, namespace: string): void {
  const collections = new Set(state.catalog.all().map(({ collection }) => collection));
  for (const collection of collections) {
    for (const object of state.storage.list(collection, namespace)) removeFrom(state, collection, object);
  }
}

function removeFrom(state: ClusterState, collection: string, { metadata }: ApiObject): void {
  state.storage.remove(collection, objectKey(metadata.namespace, metadata.name ?? ''));
}
