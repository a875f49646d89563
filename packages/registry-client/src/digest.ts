import { createHash, type Hash } from 'node:crypto';

/** The sha256 digest of some bytes, as references write it. */
export function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

/** Whether the bytes are those that the digest names. */
export function matchesDigest(bytes: Uint8Array, digest: string): boolean {
  return hashFor(digest).update(bytes).digest('hex') === digest.slice(digest.indexOf(':') + 1);
}

/** A hash with the algorithm of a digest that `isDigest` accepts. */
export function hashFor(digest: string): Hash {
  return createHash(digest.slice(0, digest.indexOf(':')));
}
