import { afterEach, describe, expect, it } from 'vitest';
import type { Credential, Keychain } from './credential.ts';
import { parseReference } from './reference.ts';
import { testImage } from './testing/images.ts';
import { sendJson, startScriptedServer, type ScriptedServer } from './testing/scripted-server.ts';
import { createTestClient, failureFrom, never, type TestClient } from './testing/test-client.ts';

const image = testImage('app');
const servers: ScriptedServer[] = [];
const clients: TestClient[] = [];

afterEach(async () => {
  await Promise.all(clients.splice(0).map(({ client }) => client.close()));
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const keychainOf = (credential: Credential | undefined): Keychain => ({ credentialFor: () => credential });
const user = keychainOf({ username: 'user', password: 'pass:word' });
const basic = `Basic ${btoa('user:pass:word')}`;

/** A registry whose 401 carries these headers, and that takes one Authorization only. */
async function startRegistry(challenges: readonly string[], accepted: string) {
  const server = await startScriptedServer((request, response) => {
    if (request.headers.authorization === accepted) {
      const headers = { 'content-type': image.mediaType, 'docker-content-digest': image.digest };
      response.writeHead(200, { ...headers, 'content-length': image.manifest.length });
      response.end(request.method === 'HEAD' ? undefined : image.manifest);
      return;
    }
    response.writeHead(401, challenges.length === 0 ? {} : { 'www-authenticate': [...challenges] });
    response.end();
  });
  servers.push(server);
  const testClient = createTestClient();
  clients.push(testClient);
  return { server, testClient, reference: parseReference(`${server.host}/team/app:1`) };
}

describe('authorization', () => {
  it('shows a credential only when the registry asks, and from then on at once', async () => {
    const { server, testClient, reference } = await startRegistry(['Basic realm="r"'], basic);
    await testClient.client.headManifest(reference, user, never());
    await testClient.client.headManifest(reference, user, never());
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([undefined, basic, basic]);
  });

  it('finds the scheme it speaks among several headers', async () => {
    const { testClient, reference } = await startRegistry(['Negotiate', 'Basic realm="r"'], basic);
    await expect(testClient.client.headManifest(reference, user, never())).resolves.toBeDefined();
  });

  it('tries Basic when a 401 names no scheme', async () => {
    const { server, testClient, reference } = await startRegistry([], basic);
    await testClient.client.headManifest(reference, user, never());
    expect(server.requests).toHaveLength(2);
  });

  it('does not repeat a password that was refused', async () => {
    const { server, testClient, reference } = await startRegistry(['Basic realm="r"'], 'another');
    const failure = await failureFrom(testClient.client.headManifest(reference, user, never()));
    expect(failure).toMatchObject({ class: 'auth', reason: 'AuthenticationFailed', inRequestRetry: 'never' });
    expect(failure.message).toContain('answered 401; the credentials are wrong or there is no such image');
    expect(server.requests).toHaveLength(2);
    await failureFrom(testClient.client.headManifest(reference, user, never()));
    expect(server.requests).toHaveLength(3);
  });

  it('goes without a credential where none is known, and says so with the Secrets that are missing', async () => {
    const { server, testClient, reference } = await startRegistry(['Basic realm="r"'], basic);
    const keychain: Keychain = { credentialFor: () => undefined, missing: ['team-registry'] };
    const failure = await failureFrom(testClient.client.headManifest(reference, keychain, never()));
    expect(failure.message).toBe(
      `Cannot read manifest ${server.host}/team/app:1: answered 401; no credentials were found for this repository; ` +
        'these Secrets do not exist: team-registry',
    );
    expect(server.requests).toHaveLength(1);
  });

  it('says which scheme is asked for when it speaks none of them', async () => {
    const { testClient, reference } = await startRegistry(['Negotiate'], basic);
    const failure = await failureFrom(testClient.client.headManifest(reference, user, never()));
    expect(failure).toMatchObject({ class: 'auth', reason: 'AuthenticationFailed' });
    expect(failure.message).toContain('answered 401 and asks for negotiate');
  });

  it('obeys a registry that asks for one scheme here and for another there', async () => {
    const server = await startScriptedServer((request, response) => {
      if (request.url.startsWith('/token')) {
        sendJson(response, { token: 't' });
        return;
      }
      const isUpload = request.url.includes('/uploads/');
      const isAllowed = request.headers.authorization === (isUpload ? 'Bearer t' : basic);
      const challenge = isUpload ? `Bearer realm="${server.url}/token"` : 'Basic realm="r"';
      if (!isAllowed) response.writeHead(401, { 'www-authenticate': challenge }).end();
      else if (isUpload) response.writeHead(201).end();
      else response.writeHead(404).end();
    });
    servers.push(server);
    const testClient = createTestClient();
    clients.push(testClient);
    const repository = { registry: server.host, repository: 'team/app' };
    const { layer, layerDigest } = image;
    expect(await testClient.client.blobExists(repository, layerDigest, user, never())).toBe(false);
    const target = { repository, digest: layerDigest, sizeBytes: layer.length };
    expect(await testClient.client.ensureBlob(target, { kind: 'bytes', bytes: layer }, user, never())).toBe('present');
    expect(await testClient.client.blobExists(repository, layerDigest, user, never())).toBe(false);
  });
});
