import { formatReference, parseReference, type Repository } from '@buildkeeper/registry-client';
import { quoted, specInvalid } from './errors.ts';

/** A builder by its kind and name; a ClusterBuilder has no namespace. */
export interface BuilderName {
  readonly kind: 'Builder' | 'ClusterBuilder';
  readonly namespace?: string;
  readonly name: string;
}

/** Where a builder is written. */
export interface BuilderTag {
  readonly repository: Repository;
  readonly tag: string;
  /** Tag of the copy of the run image, in the same repository. */
  readonly runImageTag: string;
}

/** @see https://github.com/opencontainers/distribution-spec/blob/main/spec.md#pulling-manifests */
const maxTagLength = 128;

/**
 * Where the builder of this name is written: a tag that the spec names, `latest` too, is taken as it is; a repository
 * alone gets a tag that no other builder of the cluster has. Throws RegistryError for what is no reference, and
 * BuildpackError for one that can't be written to.
 */
export function builderTag(builder: BuilderName, text: string): BuilderTag {
  const { registry, repository, tag: given, digest } = parseReference(text);
  if (digest !== undefined) throw specInvalid(`Cannot write to tag ${quoted(text)}: it has a digest`);
  const tag = given ?? defaultTag(builder);
  const runImageTag = `${tag}-run-image`;
  if (runImageTag.length > maxTagLength) {
    throw specInvalid(
      `Cannot write to tag ${quoted(tag)}: with -run-image it is longer than ${maxTagLength} characters`,
    );
  }
  return { repository: { registry, repository }, tag, runImageTag };
}

/** The reference of one tag of the builder's repository, with a digest if one is given. */
export function tagReference(target: Pick<BuilderTag, 'repository'>, tag: string, digest?: string): string {
  return formatReference({ ...target.repository, tag, digest });
}

function defaultTag({ kind, namespace, name }: BuilderName): string {
  return kind === 'Builder' ? `builder-${namespace ?? ''}-${name}` : `clusterbuilder-${name}`;
}
