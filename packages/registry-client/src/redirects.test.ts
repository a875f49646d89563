import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { anonymousKeychain, type Keychain } from './credential.ts';
import { parseReference } from './reference.ts';
import { testImage } from './testing/images.ts';
import { startScriptedServer, type Script, type ScriptedServer } from './testing/scripted-server.ts';
import { createTestClient, failureFrom, never, type TestClient } from './testing/test-client.ts';

const image = testImage('app');
const user: Keychain = { credentialFor: () => ({ username: 'u', password: 'p' }) };
const servers: ScriptedServer[] = [];
let testClient: TestClient;

beforeEach(() => {
  testClient = createTestClient();
});
afterEach(async () => {
  await testClient.client.close();
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function start(script: Script): Promise<ScriptedServer> {
  const server = await startScriptedServer(script);
  servers.push(server);
  return server;
}

const redirectTo = (location: () => string, status = 307): Script => {
  return (_, response) => response.writeHead(status, { location: location() }).end();
};
const sendManifest: Script = ({ method }, response) => {
  const headers = { 'content-type': image.mediaType, 'docker-content-digest': image.digest };
  response.writeHead(200, { ...headers, 'content-length': image.manifest.length });
  response.end(method === 'HEAD' ? undefined : image.manifest);
};
const head = (server: ScriptedServer, keychain = anonymousKeychain) =>
  testClient.client.headManifest(parseReference(`${server.host}/team/app:1`), keychain, never());

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])('with %i is followed by a HEAD', async (status) => {
    const server = await start((request, response) => {
      if (request.url === '/elsewhere') sendManifest(request, response);
      else redirectTo(() => '/elsewhere', status)(request, response);
    });
    await expect(head(server)).resolves.toMatchObject({ digest: image.digest });
    expect(testClient.exchanges).toEqual([`manifest ${status}`, 'manifest 200']);
  });

  it('to another origin is followed without the credential', async () => {
    const storage = await start(sendManifest);
    const registry = await start((request, response) => {
      if (request.headers.authorization === undefined) response.writeHead(401, { 'www-authenticate': 'Basic' }).end();
      else redirectTo(() => `${storage.url}/signed?x=y`)(request, response);
    });
    await head(registry, user);
    expect(registry.requests.at(-1)!.headers.authorization).toBe(`Basic ${btoa('u:p')}`);
    expect(storage.requests.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      ['/signed?x=y', undefined],
    ]);
    expect(testClient.hosts).toEqual(new Set([registry.host, storage.host]));
  });

  it('within the origin is followed with the credential', async () => {
    const registry = await start((request, response) => {
      if (request.headers.authorization === undefined) response.writeHead(401, { 'www-authenticate': 'Basic' }).end();
      else if (request.url === '/moved') sendManifest(request, response);
      else redirectTo(() => '/moved')(request, response);
    });
    await head(registry, user);
    expect(registry.requests.at(-1)!.headers.authorization).toBe(`Basic ${btoa('u:p')}`);
  });

  it('that leads back is a loop, found at its second visit', async () => {
    const server = await start((request, response) => {
      redirectTo(() => (request.url === '/b' ? '/a' : '/b'))(request, response);
    });
    testClient = createTestClient({ requestAttempts: 1 });
    const failure = await failureFrom(head(server));
    expect(failure).toMatchObject({ class: 'transient', reason: 'UnexpectedContent', scope: 'repository' });
    expect(failure.message).toMatch(/answered with a redirect loop$/);
    expect(server.lines()).toHaveLength(3);
  });

  it('is followed five times and no more', async () => {
    const server = await start((_, response) => {
      response.writeHead(307, { location: `/${server.requests.length}` }).end();
    });
    testClient = createTestClient({ requestAttempts: 1 });
    const failure = await failureFrom(head(server));
    expect(failure.message).toMatch(/answered with more than 5 redirects$/);
    expect(server.requests).toHaveLength(6);
  });

  it('to plain HTTP at a host that is not listed is refused, without a request there', async () => {
    const storage = await start(sendManifest);
    const registry = await start(redirectTo(() => storage.url.replace('127.0.0.1', '127.0.0.2')));
    const failure = await failureFrom(head(registry));
    expect(failure).toMatchObject({ class: 'transient', reason: 'TLSVerificationFailed', inRequestRetry: 'never' });
    expect(failure.message).toContain(`sent on to plain HTTP at 127.0.0.2:`);
    expect(failure.message).toContain('--plain-http-registry');
    expect(storage.requests).toHaveLength(0);
  });

  it.each(['', 'http://[', 'ftp://x/'])('to %j is no answer', async (location) => {
    const server = await start(redirectTo(() => location));
    expect(await failureFrom(head(server))).toMatchObject({ class: 'transient', reason: 'UnexpectedContent' });
  });

  it('to storage that fails is judged by the host of the storage', async () => {
    const storage = await start((_, response) => response.writeHead(503).end());
    const registry = await start(redirectTo(() => storage.url));
    const failure = await failureFrom(head(registry));
    expect(failure).toMatchObject({ class: 'transient', reason: 'RegistryError', origin: storage.url });
    expect(failure.message).toMatch(new RegExp(`: storage host ${storage.host}: answered 503$`));
  });

  it('of a HEAD to an address that is signed for a GET ends in a GET at the registry', async () => {
    const storage = await start((request, response) => {
      if (request.method === 'HEAD') response.writeHead(403).end();
      else sendManifest(request, response);
    });
    const registry = await start(redirectTo(() => `${storage.url}/signed`));
    await expect(head(registry)).resolves.toMatchObject({ digest: image.digest });
    const repository = { registry: registry.host, repository: 'team/app' };
    const { client } = testClient;
    expect(await client.blobExists(repository, image.layerDigest, anonymousKeychain, never())).toBe(true);
    expect(registry.requests.map(({ method }) => method)).toEqual(['HEAD', 'GET', 'HEAD', 'GET']);
  });
});
