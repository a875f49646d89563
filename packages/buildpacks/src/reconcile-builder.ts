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
import { anonymousKeychain, type Keychain, type RegistryClient } from '@buildkeeper/registry-client';
import { buildBuilder } from './build-builder.ts';
import { type BuilderName } from './builder-tag.ts';
import { type BuildpackSource } from './buildpack-source.ts';
import { BuildpackError } from './errors.ts';
import { createReconcileKeychains, MissingAccount, type ReconcileKeychains } from './reconcile-keychains.ts';
import { type ResolvedLifecycle } from './read-lifecycle.ts';
import { resolvedStackOf } from './read-stack.ts';
import { resolveOrder } from './resolve-order.ts';
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
    sources: await openSources(found, keychains),
    previous: found.status,
  };
  return buildBuilder(input, deps, signal);
}

/** The lifecycle image that a controller has resolved for this very spec, if one has; else the one that the spec names. */
async function lifecycleOf(
  { object, isReady }: FoundDependency<ClusterLifecycle>,
  keychains: ReconcileKeychains,
  deps: ReconcileBuilderDeps,
  signal: AbortSignal,
): Promise<{ resolved: ResolvedLifecycle; keychain: Keychain }> {
  const keychain = await keychains.of(object?.spec.serviceAccountRef);
  const { image, observedGeneration } = object?.status ?? {};
  // Another program may have left a status behind that nobody keeps up to date.
  const isOfThisSpec = observedGeneration === object?.metadata.generation && image?.image === object?.spec.image;
  const resolvedImage = isReady && isOfThisSpec ? image?.latestImage : undefined;
  const resolved = await deps.lifecycles.read(resolvedImage ?? object?.spec.image ?? '', keychain, signal);
  return { resolved, keychain };
}

/** An object that offers buildpacks, with the account that opens its images. */
interface Offering {
  readonly source: BuildpackSource;
  readonly account: Partial<AccountRef> | undefined;
}

function offeringsOf({ store, buildpacks, clusterBuildpacks }: FoundBuilder): readonly Offering[] {
  const offering = (
    kind: BuildpackSource['kind'],
    object: Buildpack | ClusterBuildpack | ClusterStore,
    account: Offering['account'],
  ): Offering => {
    const { name } = object.metadata;
    return {
      source: { kind, name, buildpacks: object.status?.buildpacks ?? [], keychain: anonymousKeychain },
      account,
    };
  };
  return [
    ...buildpacks.map((one) => offering('Buildpack', one, buildpackAccount(one))),
    ...clusterBuildpacks.map((one) => offering('ClusterBuildpack', one, one.spec.serviceAccountRef)),
    ...(store?.object === undefined
      ? []
      : [offering('ClusterStore', store.object, store.object.spec.serviceAccountRef)]),
  ];
}

/** The account of a Buildpack, which is one of its own namespace. */
export function buildpackAccount({ metadata, spec }: Buildpack): Partial<AccountRef> {
  const { namespace = '' } = metadata;
  return { namespace, name: spec.serviceAccountName ?? '' };
}

/** The sources, with the keychains of those that the order makes use of: the others' accounts are nobody's business. */
async function openSources(found: FoundBuilder, keychains: ReconcileKeychains): Promise<readonly BuildpackSource[]> {
  const offerings = offeringsOf(found);
  const sources = offerings.map((one) => one.source);
  const used = new Set(resolveOrder(found.spec.order ?? [], sources).buildpacks.map((buildpack) => buildpack.source));
  return Promise.all(
    offerings.map(async ({ source, account }) =>
      used.has(source) ? { ...source, keychain: await keychains.of(account) } : source,
    ),
  );
}

function observedGenerations({ stack, store }: FoundBuilder) {
  return {
    observedStackGeneration: stack.object?.metadata.generation ?? 0,
    observedStoreGeneration: store?.object?.metadata.generation ?? 0,
  };
}
