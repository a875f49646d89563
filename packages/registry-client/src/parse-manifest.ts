import { digestOf, matchesDigest } from './digest.ts';
import { parseJsonObject, type JsonObject } from './json.ts';
import { manifestKindOf, type ManifestKind } from './media-types.ts';

/** What a reference points at. */
export interface Descriptor {
  readonly digest: string;
  readonly mediaType: string;
  readonly sizeBytes: number;
}

/** A manifest that was read and checked. */
export interface ReadManifest extends Descriptor {
  readonly kind: ManifestKind;
  readonly bytes: Uint8Array;
  readonly json: JsonObject;
}

/** Why some bytes are no manifest: `unexpected` when they may be one next time, `unusable` when they never will be. */
export interface ManifestProblem {
  readonly kind: 'unexpected' | 'unusable';
  readonly detail: string;
}

/**
 * Checks the bytes of a manifest against what is told of them: every digest that somebody named, and the media type of
 * the answer, empty when it had none. Reads of their content only of what kind they are.
 */
export function parseManifest(
  bytes: Uint8Array,
  told: { readonly digests: readonly (string | undefined)[]; readonly mediaType: string },
): ReadManifest | ManifestProblem {
  const named = told.digests.filter((digest) => digest !== undefined);
  if (!named.every((digest) => matchesDigest(bytes, digest))) {
    return { kind: 'unexpected', detail: 'the manifest has another digest than it should' };
  }
  const json = parseJsonObject(bytes);
  if (json === undefined) {
    // Bytes that are what their digest says stay useless; others may have been cut on their way.
    return { kind: named.length > 0 ? 'unusable' : 'unexpected', detail: 'the manifest is not JSON' };
  }
  const inside = typeof json['mediaType'] === 'string' ? json['mediaType'] : undefined;
  const claimed = manifestKindOf(told.mediaType) === undefined ? undefined : told.mediaType;
  // A manifest that is two things at once means different images to different readers.
  if (claimed !== undefined && inside !== undefined && inside !== claimed) {
    return { kind: 'unexpected', detail: 'the manifest says another media type than the registry' };
  }
  const mediaType = claimed ?? inside ?? guessMediaType(json);
  const kind = manifestKindOf(mediaType);
  if (kind === undefined) {
    return { kind: 'unusable', detail: `media type ${shown(mediaType, told.mediaType)} is not supported` };
  }
  return { digest: named[0] ?? digestOf(bytes), mediaType, sizeBytes: bytes.length, kind, bytes, json };
}

/** Static file servers know no media types, and OCI manifests need not name theirs. */
function guessMediaType(json: JsonObject): string {
  if (json['schemaVersion'] !== 2) return '';
  if (Array.isArray(json['manifests'])) return 'application/vnd.oci.image.index.v1+json';
  return Array.isArray(json['layers']) ? 'application/vnd.oci.image.manifest.v1+json' : '';
}

function shown(mediaType: string, told: string): string {
  const first = [mediaType, told].find((one) => one !== '') ?? 'none';
  return /^[\w.+/-]{1,100}$/.test(first) ? first : 'of this manifest';
}
