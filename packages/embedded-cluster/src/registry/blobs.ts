import { type Exchange, methodNotAllowed, type Reply } from './exchange.ts';
import { OciError } from './oci-error.ts';
import { type RegistryStore } from './registry-store.ts';

/** Answers everything below `/blobs/` but uploads. */
export function handleBlob(
  store: RegistryStore,
  exchange: Exchange,
  target: { repository: string; digest: string },
): Reply {
  const { repository, digest } = target;
  if (!/^sha256:[a-f0-9]{64}$/.test(digest)) throw new OciError({ code: 'DIGEST_INVALID', detail: {} });
  switch (exchange.method) {
    case 'GET':
    case 'HEAD': {
      const bytes = store.blob(repository, digest);
      if (bytes === undefined) throw new OciError({ code: 'BLOB_UNKNOWN', detail: digest });
      return blobReply(bytes, digest, exchange);
    }
    case 'DELETE':
      if (!store.deleteBlob(repository, digest)) throw new OciError({ code: 'BLOB_UNKNOWN' });
      return { status: 202, headers: { 'Content-Length': 0 } };
    default:
      return methodNotAllowed('DELETE, GET, HEAD');
  }
}

function blobReply(bytes: Uint8Array, digest: string, { headers: asked }: Exchange): Reply {
  const identity = { 'Cache-Control': 'max-age=31536000', 'Docker-Content-Digest': digest, Etag: `"${digest}"` };
  if (asked['if-none-match'] === identity.Etag) return { status: 304, headers: identity };
  const headers = { ...identity, 'Accept-Ranges': 'bytes', 'Content-Type': 'application/octet-stream' };
  const range = rangeOf(asked.range, bytes.length);
  if (range === undefined) return { status: 200, headers, body: bytes };
  const { start, end } = range;
  if (start >= bytes.length || start > end) {
    const text = { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff' };
    return {
      status: 416,
      headers: { ...identity, ...text, 'Content-Range': `bytes */${bytes.length}`, 'Content-Length': 0 },
    };
  }
  const contentRange = `bytes ${start}-${end}/${bytes.length}`;
  return { status: 206, headers: { ...headers, 'Content-Range': contentRange }, body: bytes.subarray(start, end + 1) };
}

/** A single byte range, both ends counted in; several ranges at once get the whole blob. */
function rangeOf(header: string | undefined, sizeBytes: number): { start: number; end: number } | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '') return { start: Math.max(0, sizeBytes - Number(last)), end: sizeBytes - 1 };
  return { start: Number(first), end: last === '' ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1) };
}
