import { type Exchange, methodNotAllowed, readBody, type Reply } from './exchange.ts';
import { OciError, type OciProblem } from './oci-error.ts';
import { type RegistryStore, sha256Digest, type StoredManifest } from './registry-store.ts';

const dockerManifest = 'application/vnd.docker.distribution.manifest.v2+json';
const dockerList = 'application/vnd.docker.distribution.manifest.list.v2+json';
const ociManifest = 'application/vnd.oci.image.manifest.v1+json';
const ociIndex = 'application/vnd.oci.image.index.v1+json';
const known = new Set([dockerManifest, dockerList, ociManifest, ociIndex]);

interface Target {
  readonly repository: string;
  readonly reference: string;
}

/** Answers everything below `/manifests/`. */
export async function handleManifest(store: RegistryStore, exchange: Exchange, target: Target): Promise<Reply> {
  switch (exchange.method) {
    case 'GET':
    case 'HEAD':
      return readManifest(store, exchange, target);
    case 'PUT':
      return await writeManifest(store, exchange, target);
    case 'DELETE':
      return deleteManifest(store, target);
    default:
      return methodNotAllowed('DELETE, GET, HEAD, PUT');
  }
}

function readManifest(store: RegistryStore, exchange: Exchange, { repository, reference }: Target): Reply {
  const found = store.manifest(repository, reference);
  if (found === undefined)
    throw new OciError({ code: 'MANIFEST_UNKNOWN', detail: unknownDetail(repository, reference) });
  const etag = `"${sha256Digest(found.bytes)}"`;
  if (exchange.headers['if-none-match'] === etag) return { status: 304 };
  const { bytes, mediaType } = negotiate(store, found, {
    repository,
    reference,
    accept: exchange.headers.accept ?? '',
  });
  const digest = sha256Digest(bytes);
  return {
    status: 200,
    headers: { 'Content-Type': mediaType, 'Docker-Content-Digest': digest, Etag: `"${digest}"` },
    body: bytes,
  };
}

function unknownDetail(repository: string, reference: string): object {
  return reference.includes(':') ? { Name: repository, Revision: reference } : { Tag: reference };
}

/**
 * What docker-registry gives to a client that does not name the stored type in Accept: nothing for OCI types; for a Docker list asked for
 * by tag the linux/amd64 child; for a Docker manifest asked for by tag an error, since the old format is off.
 */
function negotiate(store: RegistryStore, found: StoredManifest, wanted: Target & { accept: string }): StoredManifest {
  const accepted = new Set(wanted.accept.split(',').map((type) => type.replace(/;.*$/, '').trim()));
  if (accepted.has(found.mediaType)) return found;
  const isTag = !wanted.reference.includes(':');
  switch (found.mediaType) {
    case ociManifest:
      throw new OciError({
        code: 'MANIFEST_UNKNOWN',
        message: 'OCI manifest found, but accept header does not support OCI manifests',
      });
    case ociIndex:
      throw new OciError({
        code: 'MANIFEST_UNKNOWN',
        message: 'OCI index found, but accept header does not support OCI indexes',
      });
    case dockerList:
      return isTag ? negotiate(store, amd64Child(store, found, wanted.repository), wanted) : found;
    default:
      if (isTag) throw new OciError({ code: 'MANIFEST_INVALID', detail: {} });
      return found;
  }
}

function amd64Child(store: RegistryStore, list: StoredManifest, repository: string): StoredManifest {
  const { manifests = [] } = JSON.parse(Buffer.from(list.bytes).toString()) as ManifestBody;
  const entry = manifests.find(({ platform }) => platform?.os === 'linux' && platform.architecture === 'amd64');
  const child = entry?.digest === undefined ? undefined : store.manifest(repository, entry.digest);
  if (child === undefined) throw new OciError({ code: 'MANIFEST_UNKNOWN' });
  return child;
}

interface ManifestBody {
  readonly schemaVersion?: unknown;
  readonly mediaType?: unknown;
  readonly config?: { readonly digest?: string };
  readonly layers?: readonly { readonly digest?: string; readonly urls?: readonly string[] }[];
  readonly manifests?: readonly {
    readonly digest?: string;
    readonly platform?: { readonly os?: string; readonly architecture?: string };
  }[];
}

async function writeManifest(
  store: RegistryStore,
  exchange: Exchange,
  { repository, reference }: Target,
): Promise<Reply> {
  const bytes = await readBody(exchange);
  const mediaType = exchange.headers['content-type'] ?? '';
  const problems = manifestProblems(store, repository, { bytes, mediaType });
  if (problems[0] !== undefined) throw new OciError([problems[0], ...problems.slice(1)]);
  const digest = sha256Digest(bytes);
  if (reference.includes(':') && reference !== digest) throw new OciError({ code: 'DIGEST_INVALID' });
  store.putManifest(repository, reference, { bytes, mediaType });
  const location = `${exchange.baseUrl}/v2/${repository}/manifests/${digest}`;
  return { status: 201, headers: { 'Docker-Content-Digest': digest, Location: location, 'Content-Length': 0 } };
}

function manifestProblems(
  store: RegistryStore,
  repository: string,
  { bytes, mediaType }: StoredManifest,
): OciProblem[] {
  const invalid: OciProblem[] = [{ code: 'MANIFEST_INVALID', detail: {} }];
  const body = parse(bytes);
  if (!known.has(mediaType) || body?.schemaVersion !== 2) return invalid;
  const isOci = mediaType === ociManifest || mediaType === ociIndex;
  // Docker's formats must say what they are; OCI's may.
  if (body.mediaType !== mediaType && !(isOci && (body.mediaType ?? '') === '')) return invalid;
  if (mediaType === dockerList || mediaType === ociIndex) {
    return missing(body.manifests ?? [], 'MANIFEST_UNKNOWN', (digest) => store.manifest(repository, digest));
  }
  const layers = (body.layers ?? []).filter(({ urls = [] }) => urls.length === 0);
  return missing([body.config ?? {}, ...layers], 'MANIFEST_BLOB_UNKNOWN', (digest) => store.blob(repository, digest));
}

function missing(
  descriptors: readonly { readonly digest?: string }[],
  code: 'MANIFEST_BLOB_UNKNOWN' | 'MANIFEST_UNKNOWN',
  find: (digest: string) => unknown,
): OciProblem[] {
  return descriptors
    .filter(({ digest }) => digest === undefined || find(digest) === undefined)
    .map(({ digest }) => ({ code, detail: digest }));
}

function parse(bytes: Uint8Array): ManifestBody | undefined {
  try {
    return JSON.parse(Buffer.from(bytes).toString()) as ManifestBody;
  } catch {
    // Whatever is wrong with it, the answer is the same.
    return undefined;
  }
}

function deleteManifest(store: RegistryStore, { repository, reference }: Target): Reply {
  if (!store.deleteManifest(repository, reference)) throw new OciError({ code: 'MANIFEST_UNKNOWN' });
  return { status: 202, headers: { 'Content-Length': 0 } };
}
