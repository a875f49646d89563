import { objectKey, type KubeObject, type ObjectStore } from '@buildkeeper/kube-client';

/** A store that holds these objects, until they are dropped. */
export interface ListStore extends ObjectStore<KubeObject> {
  drop(key: string): void;
}

/** A store that holds these objects. */
export function createListStore(objects: readonly KubeObject[]): ListStore {
  const held = new Map(objects.map((object) => [objectKey(object), object]));
  return {
    get: (key) => held.get(key),
    list: () => [...held.values()],
    byIndex: () => [],
    size: held.size,
    drop: (key) => void held.delete(key),
    put: (object) => void held.set(objectKey(object), object),
  };
}
