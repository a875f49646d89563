import { type AccountRef } from '@buildkeeper/keychain';
import {
  buildpackResource,
  clusterBuildpackResource,
  clusterLifecycleResource,
  clusterStackResource,
  clusterStoreResource,
  type BuilderSpec,
  type BuilderStatus,
  type Buildpack,
  type ClusterBuildpack,
  type ClusterLifecycle,
  type ClusterStack,
  type ClusterStore,
  type ResourceType,
} from '@buildkeeper/kpack-api';
import { lifecycleNameOf } from './builder-watches.ts';
import { type BuilderName } from './builder-tag.ts';
import { createLifecycleReader } from './lifecycle-reader.ts';
import {
  buildpackAccount,
  type FoundBuilder,
  type FoundDependency,
  type ReconcileBuilderDeps,
} from './reconcile-builder.ts';
import { createRegistryDeps, type RegistryEnv } from './registry-deps.ts';

/** Objects of one kind that are known, by `namespace/name` or `name`. */
export interface Lister<T> {
  get(key: string): T | undefined;
  list(): readonly T[];
}

/** What a builder controller's environment has to offer. */
export interface BuilderEnv extends RegistryEnv {
  lister<T extends ListedObject>(resource: ResourceType): Lister<T>;
  readonly settings: RegistryEnv['settings'] & { readonly refreshIntervalMs: number };
  readonly log: { warn(fields: object, message: string): void };
}

/** Any object that is listed here. */
type ListedObject = ClusterStack | ClusterStore | ClusterLifecycle | Buildpack | ClusterBuildpack;

/** Says of an object whether it can be used, and what is the matter with it if not. */
export type DependencyJudge = <T extends ListedObject>(
  kind: string,
  name: string,
  object: T | undefined,
) => FoundDependency<T>;

/** What both builder controllers work with. */
export interface BuilderControllerDeps extends ReconcileBuilderDeps {
  /** Finds all that a builder refers to, as it is known now. */
  find(builder: BuilderToFind): FoundBuilder;
}

/** A builder of either kind. */
export interface BuilderToFind {
  readonly builder: BuilderName;
  readonly spec: Pick<BuilderSpec, 'tag' | 'order' | 'additionalLabels' | 'stack' | 'store' | 'lifecycle'>;
  readonly status: BuilderStatus | undefined;
  readonly account: AccountRef;
}

/** Makes what a builder controller works with. Buildpacks are looked for only where the controller watches them. */
export function createBuilderDeps(
  env: BuilderEnv,
  judge: DependencyJudge,
  kind: BuilderName['kind'],
): BuilderControllerDeps {
  const { registry, keychains } = createRegistryDeps(env);
  const { clock, settings } = env;
  const stacks = env.lister<ClusterStack>(clusterStackResource);
  const stores = env.lister<ClusterStore>(clusterStoreResource);
  const lifecycles = env.lister<ClusterLifecycle>(clusterLifecycleResource);
  const clusterBuildpacks = env.lister<ClusterBuildpack>(clusterBuildpackResource);
  const buildpacks = kind === 'Builder' ? env.lister<Buildpack>(buildpackResource) : undefined;
  return {
    registry,
    keychains,
    lifecycles: createLifecycleReader({ registry, clock, refreshIntervalMs: settings.refreshIntervalMs }),
    warn: (message) => {
      env.log.warn({}, message);
    },
    find({ builder, spec, status, account }) {
      const storeName = spec.store?.name ?? '';
      const lifecycleName = lifecycleNameOf(spec);
      return {
        ...{ builder, spec, status, account },
        stack: judge('ClusterStack', spec.stack.name, stacks.get(spec.stack.name)),
        store: storeName === '' ? undefined : judge('ClusterStore', storeName, stores.get(storeName)),
        lifecycle: judge('ClusterLifecycle', lifecycleName, lifecycles.get(lifecycleName)),
        buildpacks: (buildpacks?.list() ?? []).filter((one) => one.metadata.namespace === builder.namespace),
        clusterBuildpacks: clusterBuildpacks.list(),
      };
    },
  };
}

/** Every account that a look at a builder may read with: its own, and those of what it refers to or may take from. */
export function builderAccounts(found: FoundBuilder): readonly (Partial<AccountRef> | undefined)[] {
  const { account, stack, store, lifecycle, buildpacks, clusterBuildpacks } = found;
  return [
    account,
    ...[stack, store, lifecycle].map((one) => one?.object?.spec.serviceAccountRef),
    ...buildpacks.map(buildpackAccount),
    ...clusterBuildpacks.map((one) => one.spec.serviceAccountRef),
  ];
}
