import { objectKey, type KubeObject, type ObjectStore } from '@buildkeeper/kube-client';

/** A store that holds these objects. */
export function createListStore(objects: readonly KubeObject[]): ObjectStore<KubeObject> {
  const held = new Map(objects.map((object) => [objectKey(object), object]));
  return {
    get: (key) => held.get(key),
    list: () => [...held.values()],
    byIndex: () => [],
    size: held.size,
    put: (object) => void held.set(objectKey(object), object),
  };
}
