import { existsSync } from 'node:fs';
import {
  startDockerRegistry,
  startFaultProxy,
  type DockerRegistry,
  type FaultProxy,
} from '@buildkeeper/embedded-cluster';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Keychain } from './credential.ts';
import { digestOf } from './digest.ts';
import { parseReference } from './reference.ts';
import { ociIndex, testImage, testIndex } from './testing/images.ts';
import { createTestClient, failureFrom, never, type TestClient } from './testing/test-client.ts';

const isInstalled = existsSync('/usr/bin/docker-registry');
// On a developer's machine it may be missing; where the project is judged it may not.
const isNeeded = process.env['CI'] !== undefined;

describe.skipIf(!isInstalled && !isNeeded)('a real docker-registry', () => {
  let backend: DockerRegistry;
  let proxy: FaultProxy;
  let testClient: TestClient;
  const user: Keychain = { credentialFor: () => ({ username: 'user', password: 'open sesame:ü' }) };

  beforeAll(async () => {
    const started = await startDockerRegistry({ users: { user: 'open sesame:ü' } });
    if (started === undefined) throw new Error('docker-registry is not installed, and CI is set');
    backend = started;
    proxy = await startFaultProxy({ targetPort: backend.port });
  });
  afterAll(async () => {
    await proxy.close();
    await backend.close();
  });
  beforeEach(() => {
    testClient = createTestClient({ headersTimeoutMs: 5000, bodyTimeoutMs: 5000 });
  });
  afterEach(async () => {
    await testClient.client.close();
    proxy.clear();
    proxy.resetCounts();
  });

  const repository = (name: string) => ({ registry: proxy.host, repository: name });
  const reference = (text: string) => parseReference(`${proxy.host}/${text}`);
  const ensure = (name: string, bytes: Buffer, from?: string) => {
    const target = { repository: repository(name), digest: digestOf(bytes), sizeBytes: bytes.length };
    const source =
      from === undefined
        ? ({ kind: 'bytes', bytes } as const)
        : ({ kind: 'blob', repository: repository(from), keychain: user } as const);
    return testClient.client.ensureBlob(target, source, user, never());
  };
  const put = (name: string, tag: string, bytes: Buffer, mediaType: string) =>
    testClient.client.putManifest(repository(name), tag, { bytes, mediaType }, user, never());
  const read = (text: string) => testClient.client.readImage(reference(text), user, { signal: never() });

  it('takes, mounts and gives back an image of two platforms', async () => {
    const images = { amd64: testImage('docker', 'amd64'), arm64: testImage('docker', 'arm64') };
    for (const image of Object.values(images)) {
      expect(await ensure('team/run', image.config)).toBe('uploaded');
      await ensure('team/run', image.layer);
      await put('team/run', image.digest, image.manifest, image.mediaType);
    }
    expect(await ensure('team/run', images.amd64.layer)).toBe('present');
    expect(await ensure('team/builder', images.amd64.layer, 'team/run')).toBe('mounted');
    const index = testIndex(images);
    expect(await put('team/run', '1', index, ociIndex)).toMatchObject({ digest: digestOf(index) });
    expect(await read('team/run:1')).toMatchObject({ digest: images.amd64.digest, indexDigest: digestOf(index) });
    proxy.resetCounts();
    testClient.reset();
    await read('team/run:1');
    expect(testClient.exchanges).toEqual(['manifest 200']);
    expect(proxy.requests.map(({ method }) => method)).toEqual(['HEAD']);
  });

  it('uses few connections for many requests', async () => {
    for (let turn = 0; turn < 20; turn += 1) await failureFrom(read('team/nothing:1'));
    expect(proxy.connectionCount).toBeLessThanOrEqual(2);
  });

  it.each<[string, () => Promise<unknown>, object, RegExp]>([
    [
      'a missing tag',
      () => testClient.client.headManifest(reference('team/run:none'), user, never()),
      { class: 'notFound', registryCode: 'MANIFEST_UNKNOWN' },
      /answered 404 \(MANIFEST_UNKNOWN: manifest unknown\)$/,
    ],
    [
      'a missing repository',
      () => read('nobody/nothing:1'),
      { class: 'notFound', registryCode: 'MANIFEST_UNKNOWN' },
      /^Cannot read manifest .*nobody\/nothing:1: answered 404/,
    ],
    [
      'a manifest whose blobs are missing',
      () => put('empty', '1', testImage('x').manifest, testImage('x').mediaType),
      { class: 'transient', reason: 'UploadRejected', registryCode: 'MANIFEST_BLOB_UNKNOWN' },
      /^Cannot write manifest/,
    ],
    [
      'a manifest that is none',
      () => put('empty', '1', Buffer.from('no'), testImage('x').mediaType),
      { class: 'invalid', reason: 'UploadRejected', registryCode: 'MANIFEST_INVALID' },
      /^Cannot write manifest/,
    ],
  ])('refuses %s', async (_, call, expected, message) => {
    const failure = await failureFrom(call());
    expect(failure).toMatchObject(expected);
    expect(failure.message).toMatch(message);
  });

  it.each<[string, Keychain, RegExp]>([
    [
      'nobody',
      { credentialFor: () => undefined },
      /answered 401 \(UNAUTHORIZED: authentication required\); no credentials were found/,
    ],
    [
      'a wrong password',
      { credentialFor: () => ({ username: 'user', password: 'wrong' }) },
      /answered 401 \(UNAUTHORIZED: .*\); the credentials are wrong or there is no such image$/,
    ],
  ])('does not know %s', async (_, keychain, message) => {
    const call = testClient.client.readImage(reference('team/run:1'), keychain, { signal: never() });
    const failure = await failureFrom(call);
    expect(failure).toMatchObject({ class: 'auth', reason: 'AuthenticationFailed', evidence: 'alive' });
    expect(failure.message).toMatch(message);
  });

  it('gets a large blob whole though it is cut on its way', async () => {
    const big = Buffer.alloc(2_000_000, 'buildkeeper ');
    proxy.fault({ method: 'PUT', times: 1, action: { kind: 'cutUpload', afterBytes: 500_000 } });
    expect(await ensure('team/big', big)).toBe('uploaded');
    expect(testClient.retries).toHaveLength(1);
    const options = { maxBytes: big.length, signal: never() };
    const back = await testClient.client.readBlob(repository('team/big'), digestOf(big), user, options);
    expect(Buffer.compare(back, big)).toBe(0);
  });
});
