/** Kinds of manifest that this client reads. */
export type ManifestKind = 'image' | 'index';

const kinds: Readonly<Record<string, ManifestKind>> = {
  'application/vnd.oci.image.index.v1+json': 'index',
  'application/vnd.oci.image.manifest.v1+json': 'image',
  'application/vnd.docker.distribution.manifest.list.v2+json': 'index',
  'application/vnd.docker.distribution.manifest.v2+json': 'image',
};

/**
 * All four types, always: a registry that misses the indexes here answers with the digest of one platform's manifest.
 *
 * @see https://github.com/opencontainers/distribution-spec/issues/207
 */
export const acceptManifests = Object.keys(kinds).join(', ');

/** The kind of manifest that a media type stands for, or undefined for all others. */
export function manifestKindOf(mediaType: string): ManifestKind | undefined {
  return Object.hasOwn(kinds, mediaType) ? kinds[mediaType] : undefined;
}

/** A Content-Type without its parameters, in lower case. */
export function mediaTypeOf(contentType: string | undefined): string {
  return (contentType ?? '').replace(/;.*$/s, '').trim().toLowerCase();
}
