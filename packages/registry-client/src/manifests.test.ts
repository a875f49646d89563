import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { anonymousKeychain } from './credential.ts';
import { digestOf } from './digest.ts';
import { parseReference } from './reference.ts';
import { json, ociIndex, testImage } from './testing/images.ts';
import { sendJson, startScriptedServer, type Script, type ScriptedServer } from './testing/scripted-server.ts';
import { createTestClient, failureFrom, never, type TestClient } from './testing/test-client.ts';

const image = testImage('app');
let server: ScriptedServer;
let script: Script;
let testClient: TestClient;

beforeEach(async () => {
  script = serve({});
  server = await startScriptedServer((request, response) => {
    script(request, response);
  });
  testClient = createTestClient();
});
afterEach(async () => {
  await testClient.client.close();
  await server.close();
});

interface Served {
  readonly bytes?: Buffer;
  readonly contentType?: string | undefined;
  readonly digest?: string | undefined;
}

/** Answers a manifest, with the headers that a good registry sends unless told otherwise. */
function serve(served: Served): Script {
  const { bytes = image.manifest } = served;
  const contentType = 'contentType' in served ? served.contentType : image.mediaType;
  const digest = 'digest' in served ? served.digest : digestOf(bytes);
  return ({ method }, response) => {
    if (contentType !== undefined) response.setHeader('content-type', contentType);
    if (digest !== undefined) response.setHeader('docker-content-digest', digest);
    response.setHeader('content-length', bytes.length);
    response.end(method === 'HEAD' ? undefined : bytes);
  };
}

const head = (suffix = ':1') =>
  testClient.client.headManifest(parseReference(`${server.host}/team/app${suffix}`), anonymousKeychain, never());
const read = (suffix = ':1') =>
  testClient.client.readImage(parseReference(`${server.host}/team/app${suffix}`), anonymousKeychain, {
    signal: never(),
  });
const methods = () => server.requests.map(({ method }) => method);

describe('headManifest', () => {
  it('needs one HEAD, which takes all four types of manifest', async () => {
    const { digest, mediaType } = image;
    expect(await head()).toEqual({ digest, mediaType, sizeBytes: image.manifest.length });
    expect(server.lines()).toEqual(['HEAD /v2/team/app/manifests/1']);
    expect(server.requests[0]!.headers.accept?.split(', ').sort()).toEqual([
      'application/vnd.docker.distribution.manifest.list.v2+json',
      'application/vnd.docker.distribution.manifest.v2+json',
      ociIndex,
      'application/vnd.oci.image.manifest.v1+json',
    ]);
  });

  it('asks for latest, or for the digest, where the reference says so', async () => {
    await head('');
    await head(`:1@${image.digest}`);
    expect(server.lines()).toEqual([
      'HEAD /v2/team/app/manifests/latest',
      `HEAD /v2/team/app/manifests/${image.digest}`,
    ]);
  });

  it.each<[string, Served]>([
    ['the digest', { digest: undefined }],
    ['a usable digest', { digest: 'sha256:short' }],
    ['the media type', { contentType: undefined }],
  ])('reads the manifest where the HEAD does not tell %s', async (_, served) => {
    script = serve(served);
    expect(await head()).toMatchObject({ digest: image.digest, mediaType: image.mediaType });
    expect(methods()).toEqual(['HEAD', 'GET']);
  });

  it.each([400, 403, 404, 405])('believes a %i only of a GET, which has a text as well', async (status) => {
    script = ({ method }, response) => {
      if (method === 'HEAD') response.writeHead(status).end();
      else sendJson(response, { errors: [{ code: 'MANIFEST_UNKNOWN', message: 'manifest unknown' }] }, { status: 404 });
    };
    const failure = await failureFrom(head());
    expect(failure).toMatchObject({ class: 'notFound', reason: 'ImageNotFound', registryCode: 'MANIFEST_UNKNOWN' });
    expect(failure.message).toBe(
      `Cannot read manifest ${server.host}/team/app:1: answered 404 (MANIFEST_UNKNOWN: manifest unknown)`,
    );
    expect(methods()).toEqual(['HEAD', 'GET']);
  });

  it('does not take another digest than the one that was asked for', async () => {
    const other = testImage('other');
    expect(await failureFrom(head(`@${other.digest}`))).toMatchObject({
      class: 'transient',
      reason: 'UnexpectedContent',
    });
  });

  it('uses connections again, after answers of every kind', async () => {
    for (let turn = 0; turn < 5; turn += 1) await head();
    script = (_, response) => response.writeHead(404, { 'content-type': 'text/html' }).end('<html>no</html>');
    for (let turn = 0; turn < 5; turn += 1) await failureFrom(head());
    // A request that follows at once may find the first connection still busy with its own end.
    expect(server.connectionCount()).toBeLessThanOrEqual(2);
  });
});

describe('a manifest', () => {
  it.each<[string, Served, string]>([
    [
      'larger than permitted, and says so',
      { bytes: Buffer.alloc(4 * 1024 * 1024 + 1, ' ') },
      'the manifest is larger than 4194304 bytes',
    ],
    [
      'of the first schema',
      { contentType: 'application/vnd.docker.distribution.manifest.v1+prettyjws' },
      'manifest.v1+prettyjws is not supported',
    ],
    ['not JSON though it is what its digest says', { bytes: Buffer.from('{"half":') }, 'the manifest is not JSON'],
    [
      'JSON of another kind',
      { bytes: json({ schemaVersion: 2 }), contentType: 'application/json' },
      'is not supported',
    ],
    [
      'an index without the platform',
      { bytes: json({ schemaVersion: 2, manifests: [] }), contentType: ociIndex },
      'it has no manifest for linux/amd64',
    ],
    ['an image without layers', { bytes: json({ schemaVersion: 2, config: {} }) }, 'the manifest is none of an image'],
  ])('that is %s is of no use, and is not asked for again', async (_, served, says) => {
    const bytes = served.bytes ?? json({ schemaVersion: 1 });
    script = serve({ ...served, bytes });
    const failure = await failureFrom(read());
    expect(failure).toMatchObject({ class: 'invalid', reason: 'ImageInvalid', inRequestRetry: 'never' });
    expect(failure.message).toContain(says);
    expect(server.requests).toHaveLength(1);
  });

  it('larger than permitted, without saying so, is given up as soon as it is', async () => {
    script = (_, response) => {
      response.setHeader('content-type', image.mediaType);
      const more = () => {
        while (!response.destroyed && response.write(' '.repeat(65_536)));
      };
      response.on('drain', more);
      more();
    };
    expect(await failureFrom(read())).toMatchObject({ class: 'invalid', reason: 'ImageInvalid' });
  });

  it.each<[string, Served]>([
    ['is not JSON, and of which no digest is known', { bytes: Buffer.from('{"half":'), digest: undefined }],
    ['says another media type than the registry', { contentType: ociIndex }],
    ['is a web page', { contentType: 'text/html; charset=utf-8' }],
  ])('that %s may be right next time', async (_, served) => {
    script = serve(served);
    expect(await failureFrom(read())).toMatchObject({ class: 'transient', reason: 'UnexpectedContent' });
    expect(server.requests).toHaveLength(3);
  });

  it.each(['application/json', 'text/plain', 'application/octet-stream', undefined])(
    'served as %s by a static server is known by its content',
    async (contentType) => {
      const { manifest, config, configDigest } = image;
      script = (request, response) => {
        const isManifest = request.url.includes('/manifests/');
        serve({ bytes: isManifest ? manifest : config, contentType, digest: undefined })(request, response);
      };
      expect(await read()).toMatchObject({ digest: image.digest, mediaType: image.mediaType });
      expect(server.lines().at(-1)).toBe(`GET /v2/team/app/blobs/${configDigest}`);
    },
  );
});

describe('putManifest', () => {
  const put = (tagOrDigest: string) => {
    const repository = { registry: server.host, repository: 'team/app' };
    const manifest = { bytes: image.manifest, mediaType: image.mediaType };
    return testClient.client.putManifest(repository, tagOrDigest, manifest, anonymousKeychain, never());
  };
  const answer = (status: number, headers: Record<string, string> = {}): Script => {
    return (_, response) => response.writeHead(status, headers).end();
  };

  it.each(['1', image.digest])('writes under %s with one PUT', async (tagOrDigest) => {
    script = answer(201, { 'docker-content-digest': image.digest });
    expect(await put(tagOrDigest)).toEqual({
      digest: image.digest,
      mediaType: image.mediaType,
      sizeBytes: image.manifest.length,
    });
    expect(server.lines()).toEqual([`PUT /v2/team/app/manifests/${tagOrDigest}`]);
    expect(server.requests[0]!.headers['content-type']).toBe(image.mediaType);
    expect(server.requests[0]!.body).toEqual(image.manifest);
  });

  it('trusts its own digest where the registry names none', async () => {
    script = answer(201);
    expect(await put('1')).toMatchObject({ digest: image.digest });
  });

  it('does not trust a registry that kept something else', async () => {
    script = answer(201, { 'docker-content-digest': image.configDigest });
    expect(await failureFrom(put('1'))).toMatchObject({ class: 'transient', reason: 'UnexpectedContent' });
  });

  it('is tried again after an outage, because writing twice is writing once', async () => {
    script = (request, response) => {
      answer(server.requests.length < 3 ? 503 : 201)(request, response);
    };
    expect(await put('1')).toMatchObject({ digest: image.digest });
    expect(methods()).toEqual(['PUT', 'PUT', 'PUT']);
  });

  it.each<[number, string, object]>([
    [400, 'MANIFEST_BLOB_UNKNOWN', { class: 'transient', scope: 'object', reason: 'UploadRejected' }],
    [404, 'BLOB_UNKNOWN', { class: 'transient', scope: 'object', reason: 'UploadRejected' }],
    [400, 'MANIFEST_INVALID', { class: 'invalid', reason: 'UploadRejected' }],
    [400, 'TAG_INVALID', { class: 'invalid', reason: 'SpecInvalid' }],
    [403, 'DENIED', { class: 'auth', reason: 'AuthorizationDenied' }],
    [404, 'NAME_UNKNOWN', { class: 'notFound', reason: 'ImageNotFound' }],
  ])('is refused with %i %s', async (status, code, expected) => {
    script = (_, response) => {
      sendJson(response, { errors: [{ code, message: 'no' }] }, { status });
    };
    const failure = await failureFrom(put('1'));
    expect(failure).toMatchObject({ ...expected, registryCode: code, inRequestRetry: 'never' });
    expect(failure.message).toBe(`Cannot write manifest ${server.host}/team/app:1: ${textOf(status, code)}`);
    expect(server.requests).toHaveLength(1);
  });

  const textOf = (status: number, code: string) => {
    const hint = status === 403 ? '; no credentials were found for this repository' : '';
    return `answered ${status} (${code}: no)${hint}`;
  };
});
