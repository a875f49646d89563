import { type ApiObject, stringAt } from './json-value.ts';
import { type ServedResource } from './served-resource.ts';
import { builtInResources } from './built-in-resources.ts';
import { resourcesOf } from './custom-resource-definition.ts';

/** Which resources are served now: the built-in ones, and what the CustomResourceDefinitions add. */
export class ResourceCatalog {
  readonly #custom = new Map<string, readonly ServedResource[]>();

  /** Serves what the definition says from now on, instead of what an earlier state of it said. */
  define(definition: ApiObject): void {
    this.#custom.set(definition.metadata.name ?? '', resourcesOf(definition));
  }

  /** Stops serving what the definition said. */
  undefine(definition: ApiObject): void {
    this.#custom.delete(definition.metadata.name ?? '');
  }

  /** Everything that is served, built-in resources first. */
  all(): readonly ServedResource[] {
    return [...builtInResources, ...[...this.#custom.values()].flat()];
  }

  /** The resource at these coordinates of a path; undefined when it is not served. */
  find(group: string, version: string, plural: string): ServedResource | undefined {
    return this.all().find(
      (resource) => resource.group === group && resource.version === version && resource.plural === plural,
    );
  }

  /** The resource of an object's `apiVersion` and `kind`; undefined when it is not served. */
  ofObject(object: unknown): ServedResource | undefined {
    const [version = '', group = ''] = (stringAt(object, 'apiVersion') ?? '').split('/').reverse();
    const kind = stringAt(object, 'kind');
    return this.all().find(
      (resource) => resource.group === group && resource.version === version && resource.kind === kind,
    );
  }
}
