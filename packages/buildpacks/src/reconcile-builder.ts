import {
  type BuilderSpec,
  type BuilderStatus,
  type Buildpack,
  type ClusterBuildpack,
  type ClusterLifecycle,
  type ClusterStack,
  type ClusterStore,
} from '@buildkeeper/kpack-api';
import { type AccountRef, type Keychains } from '@buildkeeper/keychain';
import { type Keychain, type RegistryClient } from '@buildkeeper/registry-client';
import { buildBuilder } from './build-builder.ts';
import { type BuilderName } from './builder-tag.ts';
import { type BuildpackSource } from './buildpack-source.ts';
import { BuildpackError } from './errors.ts';
import { createReconcileKeychains, MissingAccount, type ReconcileKeychains } from './reconcile-keychains.ts';
import { type ResolvedLifecycle } from './read-lifecycle.ts';
import { resolvedStackOf } from './read-stack.ts';
import { type SharedReader } from './shared-reader.ts';
import { type BuilderResult } from './unchanged-builder.ts';

/** An object that a builder depends on, with the runtime's judgement of it. */
export interface FoundDependency<T> {
  readonly object: T | undefined;
  readonly isReady: boolean;
  readonly isUpToDate: boolean;
  /** A sentence that names it and says what is the matter with it. */
  readonly message: string;
}

/** A Builder or a ClusterBuilder, and all that it refers to. */
export interface FoundBuilder {
  readonly builder: BuilderName;
  readonly spec: Pick<BuilderSpec, 'tag' | 'order' | 'additionalLabels'>;
  readonly status: BuilderStatus | undefined;
  /** Whose credentials write the image, and read what names no account of its own. */
  readonly account: AccountRef;
  readonly stack: FoundDependency<ClusterStack>;
  /** Undefined when the spec names none. */
  readonly store: FoundDependency<ClusterStore> | undefined;
  readonly lifecycle: FoundDependency<ClusterLifecycle>;
  /** Of the builder's namespace; none for a ClusterBuilder. */
  readonly buildpacks: readonly Buildpack[];
  readonly clusterBuildpacks: readonly ClusterBuildpack[];
}

/** What the controllers of both kinds work with. */
export interface ReconcileBuilderDeps {
  readonly registry: RegistryClient;
  readonly keychains: Keychains;
  /** Reads each lifecycle image once for all builders of the process. */
  readonly lifecycles: SharedReader<ResolvedLifecycle>;
  readonly warn: (message: string) => void;
}

/** What a look at a builder came to, when it did not throw. */
export type BuilderOutcome =
  | { readonly kind: 'ready'; readonly status: BuilderStatus }
  | { readonly kind: 'waiting'; readonly message: string; readonly pace?: 'auth' };

/**
 * One look at a builder of either kind: waits for what is not there yet, else brings the image up to date.
 * Throws RegistryError, BuildpackError and KubeError.
 */
export async function reconcileBuilder(
  found: FoundBuilder,
  deps: ReconcileBuilderDeps,
  signal: AbortSignal,
): Promise<BuilderOutcome> {
  const { stack, store, lifecycle } = found;
  const lacking = [stack, lifecycle, ...(store === undefined ? [] : [store])].find((one) => one.object === undefined);
  if (lacking !== undefined) return { kind: 'waiting', message: lacking.message };
  if (!stack.isReady) return { kind: 'waiting', message: stack.message };
  try {
    const result = await build(found, deps, signal);
    return { kind: 'ready', status: { ...result, ...observedGenerations(found) } };
  } catch (error) {
    if (error instanceof MissingAccount) return { kind: 'waiting', message: error.message, pace: 'auth' };
    // What a source that could not be read yet may still offer is no mistake of the spec.
    const isStoreOpen = store !== undefined && !store.isUpToDate;
    if (error instanceof BuildpackError && error.missing && isStoreOpen) {
      return { kind: 'waiting', message: store.message };
    }
    throw error;
  }
}

async function build(found: FoundBuilder, deps: ReconcileBuilderDeps, signal: AbortSignal): Promise<BuilderResult> {
  const keychains = createReconcileKeychains(deps.keychains, found.account, signal);
  const stack = found.stack.object;
  const resolvedStack = resolvedStackOf(stack?.status);
  if (resolvedStack === undefined) throw new Error(`${found.stack.message}, and its status is incomplete`);
  const input = {
    builder: found.builder,
    spec: found.spec,
    keychain: await keychains.own(),
    stack: { resolved: resolvedStack, keychain: await keychains.of(stack?.spec.serviceAccountRef) },
    lifecycle: await lifecycleOf(found.lifecycle, keychains, deps, signal),
    sources: await sourcesOf(found, keychains),
    previous: found.status,
  };
  return buildBuilder(input, deps, signal);
}

/** The lifecycle image that a controller has resolved, if one has; else the one that the spec names now. */
async function lifecycleOf(
  { object, isReady }: FoundDependency<ClusterLifecycle>,
  keychains: ReconcileKeychains,
  deps: ReconcileBuilderDeps,
  signal: AbortSignal,
): Promise<{ resolved: ResolvedLifecycle; keychain: Keychain }> {
  const keychain = await keychains.of(object?.spec.serviceAccountRef);
  const resolvedImage = isReady ? object?.status?.image?.latestImage : undefined;
  const resolved = await deps.lifecycles.read(resolvedImage ?? object?.spec.image ?? '', keychain, signal);
  return { resolved, keychain };
}

async function sourcesOf(found: FoundBuilder, keychains: ReconcileKeychains): Promise<readonly BuildpackSource[]> {
  const store = found.store?.object;
  const offers = [
    ...found.buildpacks.map((one) => ({
      kind: 'Buildpack' as const,
      object: one,
      account: { namespace: one.metadata.namespace, name: one.spec.serviceAccountName },
    })),
    ...found.clusterBuildpacks.map((one) => ({
      kind: 'ClusterBuildpack' as const,
      object: one,
      account: one.spec.serviceAccountRef,
    })),
    ...(store === undefined
      ? []
      : [{ kind: 'ClusterStore' as const, object: store, account: store.spec.serviceAccountRef }]),
  ];
  return Promise.all(
    offers.map(async ({ kind, object, account }) => ({
      kind,
      name: object.metadata.name,
      buildpacks: object.status?.buildpacks ?? [],
      keychain: await keychains.of(account),
    })),
  );
}

function observedGenerations({ stack, store }: FoundBuilder) {
  return {
    observedStackGeneration: stack.object?.metadata.generation ?? 0,
    observedStoreGeneration: store?.object?.metadata.generation ?? 0,
  };
}
