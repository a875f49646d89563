import { type BuilderOrderEntry, type BuilderStatus } from '@buildkeeper/kpack-api';
import { parseReference, type Keychain, type RegistryClient } from '@buildkeeper/registry-client';
import { labelWarnings } from './builder-labels.ts';
import { builderTag, tagReference, type BuilderName, type BuilderTag } from './builder-tag.ts';
import { type BuildpackSource } from './buildpack-source.ts';
import { inputsDigest } from './inputs-digest.ts';
import { labelledImage } from './labelled-image.ts';
import { planBuilderImage, type BuilderImagePlan } from './plan-builder-image.ts';
import { type SourceImage } from './planned-layers.ts';
import { publishBuilder } from './publish-builder.ts';
import { type ResolvedLifecycle } from './read-lifecycle.ts';
import { type ResolvedStack } from './read-stack.ts';
import { resolveOrder, type ResolvedOrder } from './resolve-order.ts';
import { unchangedResult, type BuilderResult } from './unchanged-builder.ts';
import { checkPlatformApis } from './validate-apis.ts';
import { checkBuildpacks } from './validate-buildpacks.ts';
import { checkTargets } from './validate-targets.ts';

/** All that one look at a Builder or ClusterBuilder needs. */
export interface BuilderInput {
  readonly builder: BuilderName;
  readonly spec: {
    readonly tag: string;
    readonly order?: readonly BuilderOrderEntry[];
    readonly additionalLabels?: Readonly<Record<string, string>>;
  };
  /** Opens the builder's own repository for writing. Images are read with the keychains of the objects that name them. */
  readonly keychain: Keychain;
  readonly stack: { readonly resolved: ResolvedStack; readonly keychain: Keychain };
  readonly lifecycle: { readonly resolved: ResolvedLifecycle; readonly keychain: Keychain };
  /** Whatever may offer buildpacks: the Buildpacks of the namespace, the ClusterBuildpacks, the ClusterStore. */
  readonly sources: readonly BuildpackSource[];
  /** Status as it stands; none for a new object. */
  readonly previous?: BuilderStatus | undefined;
}

/** What building needs besides its input. */
export interface BuilderDeps {
  readonly registry: RegistryClient;
  /** Told what works and is hardly meant so; one sentence a call, only when an image is built. */
  readonly warn?: (message: string) => void;
}

/**
 * Brings a builder image up to date. When the inputs are those of the status and the tag still points at its image,
 * that is one request and the old result; otherwise everything is checked first, then the image is made and
 * published. Throws RegistryError and BuildpackError.
 */
export async function buildBuilder(
  input: BuilderInput,
  deps: BuilderDeps,
  signal: AbortSignal,
): Promise<BuilderResult> {
  const target = builderTag(input.builder, input.spec.tag);
  const lifecycle = input.lifecycle.resolved;
  const resolved = resolveOrder(input.spec.order ?? [], input.sources);
  const apiWarnings = checkPlatformApis(lifecycle);
  checkBuildpacks(resolved.buildpacks, { stack: input.stack.resolved, lifecycle });
  const digest = inputsDigest({
    tag: tagReference(target, target.tag),
    stack: input.stack.resolved,
    lifecycle,
    order: resolved.order,
    buildpacks: resolved.buildpacks,
    additionalLabels: input.spec.additionalLabels ?? {},
  });
  const unchanged = await unchangedResult(
    input.previous,
    { digest, target },
    { ...deps, keychain: input.keychain },
    signal,
  );
  if (unchanged !== undefined) return unchanged;
  const warnings = [...resolved.warnings, ...apiWarnings, ...labelWarnings(input.spec.additionalLabels ?? {})];
  for (const warning of warnings) deps.warn?.(warning);
  return { ...(await build({ input, target, resolved }, deps, signal)), inputsDigest: digest };
}

interface Building {
  readonly input: BuilderInput;
  readonly target: BuilderTag;
  readonly resolved: ResolvedOrder;
}

async function build(
  { input, target, resolved }: Building,
  deps: BuilderDeps,
  signal: AbortSignal,
): Promise<Omit<BuilderResult, 'inputsDigest'>> {
  const { resolved: stack, keychain } = input.stack;
  const base = await readSource(stack.buildImage, keychain, deps, signal);
  const runImage = await readSource(stack.runImage, keychain, deps, signal);
  for (const warning of checkTargets(resolved.buildpacks, labelledImage(base.text, base.image))) deps.warn?.(warning);
  const names = {
    pinned: tagReference(target, target.runImageTag, runImage.image.digest),
    floating: tagReference(target, target.runImageTag),
  };
  const plan = planBuilderImage({
    base,
    lifecycle: input.lifecycle,
    stackId: stack.id,
    user: stack,
    runImage: names,
    order: resolved.order,
    buildpacks: resolved.buildpacks,
    additionalLabels: input.spec.additionalLabels ?? {},
  });
  warnOfLayers(plan, deps);
  await publishBuilder({ target, plan, runImage, keychain: input.keychain }, deps, signal);
  const { version, api, apis } = input.lifecycle.resolved;
  return {
    builderMetadata: plan.builderMetadata,
    order: resolved.order,
    stack: { id: stack.id, runImage: names.pinned },
    lifecycle: { version, api, apis },
    latestImage: tagReference(target, target.tag, plan.manifest.digest),
    os: plan.os,
  };
}

/** Layers from which on the limit of container runtimes is near: apps add some of their own. */
const manyLayers = 100;

function warnOfLayers(plan: BuilderImagePlan, deps: BuilderDeps): void {
  if (plan.layerCount < manyLayers) return;
  deps.warn?.(`The builder has ${plan.layerCount} layers; container runtimes refuse more than 127`);
}

async function readSource(
  image: ResolvedStack['buildImage'],
  keychain: Keychain,
  deps: BuilderDeps,
  signal: AbortSignal,
): Promise<SourceImage> {
  const { latestImage = '', image: text = latestImage } = image;
  return { text, image: await deps.registry.readImage(parseReference(latestImage), keychain, { signal }), keychain };
}
