import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeImage, mediaTypes, type SampleImage } from '../samples/sample-image.ts';
import { exchangeHttp, type HttpAnswer, type HttpQuestion } from '../testing/http-exchange.ts';
import { sha256Digest } from './registry-store.ts';
import { startDockerRegistry } from './start-docker-registry.ts';
import { type OciRegistry, startOciRegistry } from './start-oci-registry.ts';

const octets = { 'Content-Type': 'application/octet-stream' };
const hello = 'hello';
const digest = sha256Digest(Buffer.from(hello));
const absent = `sha256:${'0'.repeat(64)}`;
const image = (family: 'docker' | 'oci'): SampleImage => ({
  family,
  architecture: 'amd64',
  os: 'linux',
  config: { Labels: { family } },
  layers: [Buffer.alloc(1024)],
});
const docker = encodeImage(image('docker'));
const oci = encodeImage(image('oci'));
const list = encodeImage({ family: 'docker', images: [image('docker')] });
const index = encodeImage({ family: 'oci', images: [image('oci')] });
const typed = (mediaType: string) => ({ 'Content-Type': mediaType });
const accepting = (mediaType: string) => ({ Accept: mediaType });

interface Step extends HttpQuestion {
  readonly name: string;
  /** Path, or where the location of the last answer leads, with this added to its query. */
  readonly path?: string;
  readonly follow?: string;
  /** Follows the location that was given before the last one: it is out of date. */
  readonly stale?: boolean;
  readonly status: number;
}

const upload = (repository: string, content: Uint8Array): Step[] => [
  { name: 'start an upload', method: 'POST', path: `/v2/${repository}/blobs/uploads/`, status: 202 },
  {
    name: 'send it whole',
    method: 'PUT',
    follow: `&digest=${sha256Digest(content)}`,
    headers: octets,
    body: content,
    status: 201,
  },
];
const manifestPath = (reference: string) => `/v2/team/app/manifests/${reference}`;
const put = (reference: string, { manifest }: typeof docker): HttpQuestion & { path: string } => ({
  method: 'PUT',
  path: manifestPath(reference),
  headers: typed(manifest.mediaType),
  body: manifest.bytes,
});

/** Asked in this order of both registries: what one step leaves behind, the next finds. */
const steps: readonly Step[] = [
  { name: 'ping', path: '/v2/', status: 200 },
  { name: 'ping without the slash', path: '/v2', status: 301 },
  { name: 'front page', path: '/', status: 200 },
  { name: 'empty catalog', path: '/v2/_catalog', status: 200 },
  { name: 'tags of an unknown repository', path: '/v2/team/app/tags/list', status: 404 },
  { name: 'unknown tag', path: manifestPath('none'), status: 404 },
  { name: 'HEAD of an unknown tag', method: 'HEAD', path: manifestPath('none'), status: 404 },
  { name: 'unknown digest', path: manifestPath(absent), status: 404 },
  { name: 'name in capitals', path: '/v2/Team/manifests/x', status: 404 },
  { name: 'tag with a forbidden sign', path: manifestPath('a!b'), status: 404 },
  { name: 'path of no kind', path: '/v2/team/app/wishes', status: 404 },
  { name: 'unknown blob', path: `/v2/team/app/blobs/${absent}`, status: 404 },
  { name: 'HEAD of an unknown blob', method: 'HEAD', path: `/v2/team/app/blobs/${absent}`, status: 404 },
  { name: 'blob by a short digest', path: '/v2/team/app/blobs/sha256:00', status: 400 },
  { name: 'PUT of a blob without a session', method: 'PUT', path: `/v2/team/app/blobs/${digest}`, status: 405 },
  { name: 'POST of a manifest', method: 'POST', path: manifestPath('x'), status: 405 },
  { name: 'DELETE of the catalog', method: 'DELETE', path: '/v2/_catalog', status: 405 },

  {
    name: 'session without state',
    path: '/v2/team/app/blobs/uploads/11111111-1111-1111-1111-111111111111',
    status: 404,
  },
  { name: 'start an upload', method: 'POST', path: '/v2/team/app/blobs/uploads/', status: 202 },
  { name: 'ask how far it is', follow: '', status: 204 },
  { name: 'send a chunk', method: 'PATCH', follow: '', headers: octets, body: 'hel', status: 202 },
  {
    name: 'send a chunk to the old location',
    method: 'PATCH',
    follow: '',
    stale: true,
    headers: octets,
    body: 'lo',
    status: 404,
  },
  { name: 'ask how far it is after a chunk', follow: '', status: 204 },
  { name: 'send another chunk', method: 'PATCH', follow: '', headers: octets, body: 'lo', status: 202 },
  { name: 'finish without a digest', method: 'PUT', follow: '', headers: octets, status: 400 },
  { name: 'finish with the digest', method: 'PUT', follow: `&digest=${digest}`, headers: octets, status: 201 },
  { name: 'start an upload again', method: 'POST', path: '/v2/team/app/blobs/uploads/', status: 202 },
  { name: 'wrong digest', method: 'PUT', follow: `&digest=${absent}`, headers: octets, body: hello, status: 400 },
  { name: 'start an upload a third time', method: 'POST', path: '/v2/team/app/blobs/uploads/', status: 202 },
  { name: 'give it up', method: 'DELETE', follow: '', status: 204 },
  { name: 'ask for it then', follow: '', status: 404 },

  { name: 'read the blob', path: `/v2/team/app/blobs/${digest}`, status: 200 },
  { name: 'HEAD of the blob', method: 'HEAD', path: `/v2/team/app/blobs/${digest}`, status: 200 },
  { name: 'range', path: `/v2/team/app/blobs/${digest}`, headers: { Range: 'bytes=1-2' }, status: 206 },
  { name: 'range from the end', path: `/v2/team/app/blobs/${digest}`, headers: { Range: 'bytes=-2' }, status: 206 },
  {
    name: 'blob known already',
    path: `/v2/team/app/blobs/${digest}`,
    headers: { 'If-None-Match': `"${digest}"` },
    status: 304,
  },
  { name: 'blob of another repository', path: `/v2/other/blobs/${digest}`, status: 404 },

  { name: 'mount', method: 'POST', path: `/v2/other/blobs/uploads/?mount=${digest}&from=team/app`, status: 201 },
  { name: 'read what was mounted', path: `/v2/other/blobs/${digest}`, status: 200 },
  {
    name: 'mount what is not there',
    method: 'POST',
    path: `/v2/other/blobs/uploads/?mount=${absent}&from=team/app`,
    status: 202,
  },
  {
    name: 'mount from nowhere',
    method: 'POST',
    path: `/v2/third/blobs/uploads/?mount=${digest}&from=none`,
    status: 202,
  },
  { name: 'mount without a source', method: 'POST', path: `/v2/third/blobs/uploads/?mount=${digest}`, status: 202 },
  {
    name: 'mount a malformed digest',
    method: 'POST',
    path: '/v2/third/blobs/uploads/?mount=x&from=team/app',
    status: 202,
  },
  { name: 'DELETE of a blob', method: 'DELETE', path: `/v2/other/blobs/${digest}`, status: 202 },
  { name: 'DELETE of it again', method: 'DELETE', path: `/v2/other/blobs/${digest}`, status: 404 },
  { name: 'the source still has it', path: `/v2/team/app/blobs/${digest}`, status: 200 },

  { name: 'manifest before its blobs', ...put('early', docker), status: 400 },
  ...[...docker.blobs, ...oci.blobs].flatMap((blob) => upload('team/app', blob)),
  { name: 'manifest', ...put('one', docker), status: 201 },
  { name: 'manifest by digest', ...put(docker.digest, docker), status: 201 },
  { name: 'manifest by the wrong digest', ...put(absent, docker), status: 400 },
  { name: 'OCI manifest', ...put('oci', oci), status: 201 },
  { name: 'manifest of another type', ...put('x', oci), headers: typed(mediaTypes.docker.manifest), status: 400 },
  { name: 'manifest without a type', ...put('x', docker), headers: {}, status: 400 },
  { name: 'list', ...put('list', list), status: 201 },
  { name: 'index', ...put('index', index), status: 201 },

  { name: 'GET by tag', path: manifestPath('one'), headers: accepting(docker.manifest.mediaType), status: 200 },
  {
    name: 'HEAD by tag',
    method: 'HEAD',
    path: manifestPath('one'),
    headers: accepting(docker.manifest.mediaType),
    status: 200,
  },
  { name: 'GET by digest', path: manifestPath(docker.digest), status: 200 },
  {
    name: 'GET of what is known',
    path: manifestPath('one'),
    headers: { ...accepting(docker.manifest.mediaType), 'If-None-Match': `"${docker.digest}"` },
    status: 304,
  },
  { name: 'OCI type not accepted', path: manifestPath('oci'), status: 404 },
  { name: 'anything accepted', path: manifestPath('oci'), headers: accepting('*/*'), status: 404 },
  {
    name: 'OCI type accepted',
    path: manifestPath('oci'),
    headers: accepting(`a/b;q=0.1, ${oci.manifest.mediaType};q=0.5`),
    status: 200,
  },
  { name: 'list accepted', path: manifestPath('list'), headers: accepting(list.manifest.mediaType), status: 200 },
  { name: 'list not accepted', path: manifestPath('list'), headers: accepting(docker.manifest.mediaType), status: 200 },
  { name: 'list by digest, not accepted', path: manifestPath(list.digest), status: 200 },
  { name: 'index accepted', path: manifestPath('index'), headers: accepting(index.manifest.mediaType), status: 200 },
  { name: 'index not accepted', path: manifestPath('index'), headers: accepting(oci.manifest.mediaType), status: 404 },

  { name: 'tags', path: '/v2/team/app/tags/list', status: 200 },
  { name: 'first page of the catalog', path: '/v2/_catalog?n=1', status: 200 },
  { name: 'DELETE by digest', method: 'DELETE', path: manifestPath(docker.digest), status: 202 },
  { name: 'DELETE by digest again', method: 'DELETE', path: manifestPath(docker.digest), status: 404 },
  { name: 'its tag is gone', path: '/v2/team/app/tags/list', status: 200 },
];

const comparedHeaders = [
  ...[
    'accept-ranges',
    'allow',
    'cache-control',
    'content-length',
    'content-range',
    'content-type',
    'docker-content-digest',
  ],
  ...['docker-distribution-api-version', 'docker-upload-uuid', 'etag', 'link', 'location', 'range', 'www-authenticate'],
];

interface Seen {
  readonly name: string;
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: unknown;
}

async function walk(url: string): Promise<Seen[]> {
  const seen: Seen[] = [];
  let locations = ['', ''];
  for (const { name, path, follow, stale, ...question } of steps) {
    const target = path === undefined ? `${locations[stale === true ? 1 : 0] ?? ''}${follow ?? ''}` : `${url}${path}`;
    const answer = await exchangeHttp(target, question);
    if (answer.status < 400 && answer.headers.location?.includes('_state') === true)
      locations = [answer.headers.location, locations[0] ?? ''];
    seen.push({ name, status: answer.status, headers: normalHeaders(answer, url), body: normalBody(answer) });
  }
  return seen;
}

/** What has to differ (host, session, state) is replaced; a redirect's text is nobody's business. */
function normalHeaders({ headers, status }: HttpAnswer, url: string): Record<string, string> {
  const pairs = comparedHeaders
    .filter((name) => !(status === 301 && name.startsWith('content-')))
    .map((name) => [name, headers[name]] as const)
    .filter((pair): pair is [string, string] => typeof pair[1] === 'string');
  return Object.fromEntries(
    pairs.map(([name, value]) => [
      name,
      value
        .replace(url, 'URL')
        .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, 'SESSION')
        .replace(/_state=[^&]*/, '_state=STATE'),
    ]),
  );
}

function normalBody({ body, status, headers }: HttpAnswer): unknown {
  if (status === 301) return '';
  if (headers['content-type']?.startsWith('application/json') !== true || body === '') return body;
  const content = JSON.parse(body) as { tags?: string[] };
  // docker-registry 2.8 lists tags in the order of its file system.
  content.tags?.sort();
  return content;
}

describe('OciRegistry', () => {
  let embedded: OciRegistry;
  let seen: Seen[];
  beforeAll(async () => {
    embedded = await startOciRegistry();
    seen = await walk(embedded.url);
  });
  afterAll(() => embedded.close());

  it('answers each step with the right status', () => {
    const statuses = (list: readonly { name: string; status: number }[]) =>
      list.map(({ name, status }) => `${name}: ${status}`);
    expect(statuses(seen)).toEqual(statuses(steps));
  });

  it('counts what it was asked and what it was sent', () => {
    expect(embedded.requests).toHaveLength(steps.length);
    expect(embedded.requests[0]).toEqual({ method: 'GET', path: '/v2/', query: '', status: 200 });
    expect(embedded.connectionCount).toBe(steps.length);
    const blobs = [...docker.blobs, ...oci.blobs].map(sha256Digest);
    expect(embedded.uploads).toEqual([digest, ...blobs].map((sent) => ({ repository: 'team/app', digest: sent })));
  });
});

const real = await startDockerRegistry();

describe.skipIf(real === undefined && process.env['CI'] === undefined)('OciRegistry beside docker-registry', () => {
  let embedded: OciRegistry;
  let answers: { ours: Seen[]; theirs: Seen[] };
  beforeAll(async () => {
    embedded = await startOciRegistry();
    answers = { ours: await walk(embedded.url), theirs: await walk(real!.url) };
  });
  afterAll(async () => {
    await embedded.close();
    await real?.close();
  });

  it.each(steps.map(({ name }, step) => [name, step] as const))('gives the same answer: %s', (_name, step) => {
    expect(answers.ours[step]).toEqual(answers.theirs[step]);
  });
});
