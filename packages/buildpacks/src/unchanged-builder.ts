import { type BuilderStatus } from '@buildkeeper/kpack-api';
import { parseReference, type Keychain, type RegistryClient } from '@buildkeeper/registry-client';
import { failureOf } from '@buildkeeper/retry-policy';
import { tagReference, type BuilderTag } from './builder-tag.ts';

const resultFields = ['builderMetadata', 'order', 'stack', 'lifecycle', 'latestImage', 'os', 'inputsDigest'] as const;

/** The part of a builder's status that says which image it is. */
export type BuilderResult = Required<Pick<BuilderStatus, (typeof resultFields)[number]>>;

interface TagDeps {
  readonly registry: RegistryClient;
  readonly keychain: Keychain;
}

/**
 * The result that a status holds, when it is complete and of these inputs, and the tag still points at its image: one
 * HEAD. Undefined when there is something to be done. Throws RegistryError.
 */
export async function unchangedResult(
  status: BuilderStatus | undefined,
  wanted: { readonly digest: string; readonly target: BuilderTag },
  deps: TagDeps,
  signal: AbortSignal,
): Promise<BuilderResult | undefined> {
  const previous = resultOf(status, wanted.digest);
  if (previous === undefined) return undefined;
  const found = await digestAtTag(tagReference(wanted.target, wanted.target.tag), deps, signal);
  return found !== undefined && previous.latestImage.endsWith(`@${found}`) ? previous : undefined;
}

function resultOf(status: BuilderStatus | undefined, digest: string): BuilderResult | undefined {
  if (status?.inputsDigest !== digest) return undefined;
  const fields = resultFields.map((field) => [field, status[field]] as const);
  return fields.some(([, value]) => value === undefined) ? undefined : (Object.fromEntries(fields) as BuilderResult);
}

async function digestAtTag(text: string, deps: TagDeps, signal: AbortSignal): Promise<string | undefined> {
  try {
    return (await deps.registry.headManifest(parseReference(text), deps.keychain, signal)).digest;
  } catch (error) {
    // That the tag is gone is an answer here and no failure: the image is made again.
    if (failureOf(error)?.reason === 'ImageNotFound') return undefined;
    throw error;
  }
}
