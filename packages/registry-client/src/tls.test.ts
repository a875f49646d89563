import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { anonymousKeychain } from './credential.ts';
import type { RegistryClientOptions } from './options.ts';
import { parseReference } from './reference.ts';
import { testImage } from './testing/images.ts';
import { startScriptedServer, type ScriptedServer } from './testing/scripted-server.ts';
import {
  expiredCertificate,
  goodCertificate,
  otherNameCertificate,
  testCa,
  testKey,
} from './testing/test-certificates.ts';
import { createTestClient, failureFrom, never, type TestClient } from './testing/test-client.ts';

const image = testImage('app');
const servers: ScriptedServer[] = [];
let testClient: TestClient | undefined;

afterEach(async () => {
  await testClient?.client.close();
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function start(cert?: string): Promise<ScriptedServer> {
  const options = cert === undefined ? {} : { tls: { key: testKey, cert } };
  const server = await startScriptedServer((_, response) => {
    const headers = { 'content-type': image.mediaType, 'docker-content-digest': image.digest };
    response.writeHead(200, { ...headers, 'content-length': image.manifest.length }).end();
  }, options);
  servers.push(server);
  return server;
}

const head = async (server: ScriptedServer, options: Partial<RegistryClientOptions> = {}) => {
  testClient = createTestClient({ plainHttpHosts: [], connectTimeoutMs: 2000, ...options });
  return testClient.client.headManifest(parseReference(`${server.host}/team/app:1`), anonymousKeychain, never());
};

describe('TLS', () => {
  it('trusts the bundle that is given, besides the roots of the system', async () => {
    await expect(head(await start(goodCertificate), { readCa: () => testCa })).resolves.toMatchObject({
      digest: image.digest,
    });
  });

  it.each<[string, string, string | undefined, string]>([
    ['an unknown issuer', goodCertificate, undefined, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
    ['an empty bundle', goodCertificate, '\n', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
    ['another host', otherNameCertificate, testCa, 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['an old certificate', expiredCertificate, testCa, 'CERT_HAS_EXPIRED'],
  ])('does not trust %s', async (_, certificate, ca, code) => {
    const server = await start(certificate);
    const failure = await failureFrom(head(server, { readCa: () => ca }));
    expect(failure).toMatchObject({
      class: 'transient',
      scope: 'host',
      evidence: 'dead',
      reason: 'TLSVerificationFailed',
      inRequestRetry: 'never',
    });
    expect(failure.message).toMatch(new RegExp(`: certificate .* \\(${code}\\)$|: issuer .* \\(${code}\\)$`));
    expect(server.requests).toHaveLength(0);
    expect(testClient!.exchanges).toEqual(['manifest <error>']);
  });

  it('takes a new bundle with the next connection', async () => {
    const server = await start(goodCertificate);
    let ca = '';
    await failureFrom(head(server, { readCa: () => ca }));
    ca = testCa;
    const { client } = testClient!;
    const reference = parseReference(`${server.host}/team/app:1`);
    await expect(client.headManifest(reference, anonymousKeychain, never())).resolves.toBeDefined();
  });

  it('survives a bundle that is none, or that can not be read', async () => {
    const server = await start(goodCertificate);
    const garbage = '-----BEGIN CERTIFICATE-----\ngarbage\n-----END CERTIFICATE-----\n';
    const failure = await failureFrom(head(server, { readCa: () => garbage }));
    expect(failure).toMatchObject({ class: 'transient', scope: 'local', reason: 'TLSVerificationFailed' });
    await testClient!.client.close();
    const unreadable = await failureFrom(
      head(server, {
        readCa: () => {
          throw Object.assign(new Error('no such file'), { code: 'ENOENT' });
        },
      }),
    );
    expect(unreadable).toMatchObject({ class: 'transient', scope: 'local', reason: 'TLSVerificationFailed' });
    expect(unreadable.message).toMatch(/: CA bundle of this controller can not be used \(CA_BUNDLE_UNUSABLE\)$/);
  });

  it('is not verified for a host that is listed, and is for all others', async () => {
    const [listed, other] = [await start(otherNameCertificate), await start(otherNameCertificate)];
    await expect(head(listed, { skipTlsVerifyHosts: [listed.host] })).resolves.toBeDefined();
    const { client } = testClient!;
    const failure = await failureFrom(
      client.headManifest(parseReference(`${other.host}/team/app:1`), anonymousKeychain, never()),
    );
    expect(failure.reason).toBe('TLSVerificationFailed');
  });

  it('is spoken to every host that is not listed, loopback too, with a hint at the flag', async () => {
    const server = await start();
    const failure = await failureFrom(head(server));
    expect(failure).toMatchObject({ class: 'transient', reason: 'TLSVerificationFailed' });
    expect(failure.message).toMatch(
      new RegExp(`: host does not speak TLS on this port \\(\\w+\\); if .* --plain-http-registry ${server.host}$`),
    );
    expect(server.requests).toHaveLength(0);
  });

  it('is missed by plain HTTP, with a hint at the list', async () => {
    const server = await start(goodCertificate);
    const failure = await failureFrom(head(server, { plainHttpHosts: [server.host] }));
    expect(failure).toMatchObject({ class: 'transient', reason: 'RegistryUnavailable' });
    expect(failure.message).toContain('plain HTTP is spoken to this host because it is listed');
  });
});

describe('plain HTTP', () => {
  let server: ScriptedServer;
  beforeEach(async () => {
    server = await start();
  });

  it.each<[string, (host: string) => string, boolean]>([
    ['host and port', (host) => host, true],
    ['the host, for all its ports', () => '127.0.0.1', true],
    ['another port', () => '127.0.0.1:1', false],
    ['another host', () => 'registry.example', false],
  ])('is spoken when the list has %s', async (_, entry, isPlain) => {
    const call = head(server, { plainHttpHosts: [entry(server.host)] });
    if (isPlain) await expect(call).resolves.toBeDefined();
    else expect((await failureFrom(call)).reason).toBe('TLSVerificationFailed');
  });

  it('is spoken to an address of IPv6', async () => {
    const six = await startScriptedServer((_, response) => response.writeHead(404).end(), { address: '::1' });
    servers.push(six);
    expect(await failureFrom(head(six, { plainHttpHosts: [six.host] }))).toMatchObject({ class: 'notFound' });
    expect(six.host).toMatch(/^\[::1\]:\d+$/);
  });
});
