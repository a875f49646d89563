import { createHash } from 'node:crypto';

/** Digest of bytes, or of a text in UTF-8, as registries write it: `sha256:<64 hex digits>`. */
export function sha256(content: Uint8Array | string): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}

/** The first twelve hex digits of a digest: enough for a name that no other image of a repository has. */
export function shortDigest(digest: string): string {
  return digest.replace(/^sha256:/, '').slice(0, 12);
}
