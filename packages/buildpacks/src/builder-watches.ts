import {
  buildpackResource,
  clusterBuildpackResource,
  clusterLifecycleResource,
  clusterStackResource,
  clusterStoreResource,
  type BuilderSpec,
  type ResourceType,
} from '@buildkeeper/kpack-api';

interface Named {
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** A builder of either kind, as far as its dependencies go. */
export interface DependentBuilder extends Named {
  readonly spec: Pick<BuilderSpec, 'stack' | 'store' | 'lifecycle' | 'order'>;
}

/** A watch of what builders depend on, in the shape that a controller's definition takes. */
export interface BuilderWatch<T extends DependentBuilder> {
  readonly resource: ResourceType;
  affects(changed: Named, candidate: T): boolean;
}

/** Name of the ClusterLifecycle of a builder that names none. */
export const defaultLifecycleName = 'default-lifecycle';

/** The ClusterLifecycle that a builder uses. */
export function lifecycleNameOf(spec: Pick<BuilderSpec, 'lifecycle'>): string {
  const name = spec.lifecycle?.name ?? '';
  return name === '' ? defaultLifecycleName : name;
}

/** What wakes a ClusterBuilder: its stack, its store, its lifecycle, and any ClusterBuildpack. */
export const clusterBuilderWatches: readonly BuilderWatch<DependentBuilder>[] = [
  { resource: clusterStackResource, affects: ({ metadata }, { spec }) => spec.stack.name === metadata.name },
  { resource: clusterStoreResource, affects: ({ metadata }, { spec }) => spec.store?.name === metadata.name },
  { resource: clusterLifecycleResource, affects: ({ metadata }, { spec }) => lifecycleNameOf(spec) === metadata.name },
  {
    resource: clusterBuildpackResource,
    affects: (_, { spec }) => asksForBuildpacks(spec),
  },
];

/** What wakes a Builder: the same, and the Buildpacks of its namespace. */
export const builderWatches: readonly BuilderWatch<DependentBuilder>[] = [
  ...clusterBuilderWatches,
  {
    resource: buildpackResource,
    affects: ({ metadata }, builder) =>
      metadata.namespace === builder.metadata.namespace && asksForBuildpacks(builder.spec),
  },
];

/** Whether an order asks for anything: what it names may have members, and those are looked for in every object. */
function asksForBuildpacks({ order = [] }: Pick<BuilderSpec, 'order'>): boolean {
  return order.some((entry) => (entry.group ?? []).length > 0);
}
