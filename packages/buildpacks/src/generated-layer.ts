import { gzipSync } from 'fflate';
import { sha256 } from './digest.ts';
import { writeTar, type TarEntry } from './ustar.ts';

/** A layer that is made here, not copied. */
export interface GeneratedLayer {
  /** Digest of the tar archive. */
  readonly diffId: string;
  /** Digest of the compressed archive. */
  readonly digest: string;
  /** The compressed archive. */
  readonly bytes: Uint8Array;
}

/**
 * A gzipped layer with these entries; equal entries give equal bytes. The compressor is a library of its own, because
 * the output of Node's zlib may change with Node and with the processor, and with it the digest of every builder.
 */
export function generateLayer(entries: readonly TarEntry[]): GeneratedLayer {
  const tar = writeTar(entries);
  const bytes = gzipSync(tar, { level: 6, mtime: 0 });
  return { diffId: sha256(tar), digest: sha256(bytes), bytes };
}
