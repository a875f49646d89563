import type { KubeClient, ObjectPage, PageOptions } from './kube-client.ts';
import type { KubeObject } from './kube-object.ts';
import type { ResourceType } from './resource-type.ts';

/** Every object of a kind at one moment. */
export interface FullList<T extends KubeObject> {
  readonly objects: readonly T[];
  /** Where a watch that follows begins. */
  readonly resourceVersion: string;
}

/** Whom to ask for what, and what to keep of each object. */
export interface ListDeps<T extends KubeObject> {
  readonly client: KubeClient;
  readonly resource: ResourceType;
  /** Applied page by page, so that a long list is never held whole in its raw form. */
  readonly trim: (object: T) => T;
}

/** Reads page after page. Throws a KubeError; one of status 410 when the list took longer than the server remembers. */
export async function listAll<T extends KubeObject>(
  { client, resource, trim }: ListDeps<T>,
  options: PageOptions,
  signal: AbortSignal,
): Promise<FullList<T>> {
  const first = await client.listPage<T>(resource, options, signal);
  const objects = first.items.map(trim);
  let { continueToken } = first;
  while (continueToken !== undefined) {
    const page: ObjectPage<T> = await client.listPage<T>(resource, { ...options, continueToken }, signal);
    objects.push(...page.items.map(trim));
    ({ continueToken } = page);
  }
  // All pages show the state of the first one's version.
  return { objects, resourceVersion: first.resourceVersion };
}
