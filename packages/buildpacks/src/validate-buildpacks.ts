import { type BuildpackStack } from '@buildkeeper/kpack-api';
import { isApiOffered, parseApiVersion } from './api-version.ts';
import { candidateName, sourceImageOf, type Candidate } from './buildpack-source.ts';
import { imageInvalid, quoted } from './errors.ts';
import { type ResolvedLifecycle } from './read-lifecycle.ts';
import { type ResolvedStack } from './read-stack.ts';
import { allVersions } from './validate-apis.ts';

/** What buildpacks have to go with. */
export interface BuildpackContext {
  readonly stack: Pick<ResolvedStack, 'id' | 'mixins'>;
  readonly lifecycle: Pick<ResolvedLifecycle, 'apis'>;
}

/** Checks that every buildpack runs with the lifecycle and on the stack. Throws BuildpackError for the first that doesn't. */
export function checkBuildpacks(buildpacks: readonly Candidate[], context: BuildpackContext): void {
  for (const buildpack of buildpacks) {
    // Something that is made of others has no code of its own.
    if (isComposite(buildpack)) continue;
    const problem = apiProblem(buildpack, context) ?? stackProblem(buildpack, context);
    if (problem !== undefined) throw buildpackInvalid(buildpack, problem);
  }
}

/** The error of a buildpack that can't be used, naming the image it came in. */
export function buildpackInvalid(buildpack: Candidate, detail: string): Error {
  return imageInvalid(sourceImageOf(buildpack), `buildpack ${quoted(candidateName(buildpack))} ${detail}`);
}

/** Whether a buildpack is only a list of others. */
export function isComposite(buildpack: Candidate): boolean {
  return (buildpack.entry.order ?? []).length > 0;
}

function apiProblem({ entry }: Candidate, { lifecycle }: BuildpackContext): string | undefined {
  const offered = allVersions(lifecycle.apis.buildpack);
  if (isApiOffered(entry.api ?? '', offered)) return undefined;
  return `is written for Buildpack API ${quoted(entry.api ?? '')}; the lifecycle speaks ${offered.join(', ') || 'none'}`;
}

function stackProblem({ entry }: Candidate, { stack, lifecycle }: BuildpackContext): string | undefined {
  // Newer buildpacks name targets instead, which are checked against the base image.
  const stacks = entry.stacks ?? [];
  if (stacks.length === 0) return undefined;
  const match = stacks.find((one) => one.id === stack.id || (one.id === '*' && hasAnyStack(entry.api)));
  if (match === undefined) {
    const named = stacks.slice(0, 5).map((one) => quoted(one.id ?? ''));
    return `runs on stack ${named.join(', ')}, not on ${quoted(stack.id)}`;
  }
  const missing = missingMixins(match, stack.mixins, isRelaxed(lifecycle));
  if (missing.length === 0) return undefined;
  return `needs mixins that stack ${quoted(stack.id)} lacks: ${missing.slice(0, 10).map(quoted).join(', ')}`;
}

/** `*` as a stack came with Buildpack API 0.5. */
function hasAnyStack(api: string | undefined): boolean {
  const version = parseApiVersion(api ?? '');
  return version !== undefined && (version.major > 0 || version.minor >= 5);
}

/** From Platform API 0.7 on, mixins of one phase are covered by those of both, and the other way round. */
function isRelaxed(lifecycle: BuildpackContext['lifecycle']): boolean {
  return allVersions(lifecycle.apis.platform).some((text) => {
    const version = parseApiVersion(text);
    return version !== undefined && (version.major > 0 || version.minor >= 7);
  });
}

/** @see https://github.com/buildpacks/rfcs/blob/main/text/0087-relax-mixin-contract.md */
function missingMixins(stack: BuildpackStack, provided: readonly string[], relaxed: boolean): readonly string[] {
  const all = new Set(provided);
  const isProvided = (mixin: string): boolean => {
    if (all.has(mixin)) return true;
    if (!relaxed) return false;
    const [, bare] = /^(?:build|run):(.*)$/s.exec(mixin) ?? [];
    return bare === undefined ? all.has(`build:${mixin}`) && all.has(`run:${mixin}`) : all.has(bare);
  };
  return (stack.mixins ?? []).filter((mixin) => !isProvided(mixin));
}
