import { type ObjectStorage } from './object-storage.ts';
import { type ResourceCatalog } from './resource-catalog.ts';
import { type ListPages } from './list-pages.ts';

/** Everything that the server knows, handed to whoever answers a request. */
export interface ClusterState {
  readonly storage: ObjectStorage;
  readonly catalog: ResourceCatalog;
  readonly pages: ListPages;
  /** How often a watch that allows bookmarks gets one. */
  readonly bookmarkIntervalMs: number;
}
