import { startOciRegistry, type OciRegistry } from '@buildkeeper/embedded-cluster';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { anonymousKeychain, type Keychain } from './credential.ts';
import { digestOf } from './digest.ts';
import type { Platform } from './image-json.ts';
import { parseReference } from './reference.ts';
import { descriptor, json, ociIndex, ociManifest, testImage, testIndex, type TestImage } from './testing/images.ts';
import { createTestClient, failureFrom, never, type TestClient } from './testing/test-client.ts';

let registry: OciRegistry;
let testClient: TestClient;

beforeEach(async () => {
  registry = await startOciRegistry();
  testClient = createTestClient();
});
afterEach(async () => {
  await testClient.client.close();
  await registry.close();
});

function push(image: TestImage, tag?: string, repository = 'team/app'): void {
  for (const blob of [image.config, image.layer]) registry.putBlob(repository, blob);
  registry.putManifest(repository, tag ?? image.digest, { bytes: image.manifest, mediaType: image.mediaType });
}

function read(name = 'team/app:1', options: { platform?: Platform; keychain?: Keychain } = {}) {
  const { keychain = anonymousKeychain, ...rest } = options;
  const reference = parseReference(`${registry.host}/${name}`);
  return testClient.client.readImage(reference, keychain, { ...rest, signal: never() });
}

/** "METHOD what" of every request since it was last asked. */
function asked(): readonly string[] {
  const lines = registry.requests.map(({ method, path }) => `${method} ${path.replace('/v2/team/app/', '')}`);
  registry.resetCounts();
  return lines;
}

describe('readImage', () => {
  it('reads manifest and config with one request each, and without asking first whether they are there', async () => {
    const image = testImage('app');
    push(image, '1');
    expect(await read()).toEqual({
      repository: { registry: registry.host, repository: 'team/app' },
      digest: image.digest,
      mediaType: ociManifest,
      manifest: JSON.parse(image.manifest.toString()) as object,
      config: JSON.parse(image.config.toString()) as object,
      manifestBytes: image.manifest,
      configBytes: image.config,
    });
    expect(asked()).toEqual(['GET manifests/1', `GET blobs/${image.configDigest}`]);
  });

  it('asks exactly one HEAD for an image that has not changed', async () => {
    push(testImage('app'), '1');
    const first = await read();
    asked();
    expect(await read()).toEqual(first);
    expect(asked()).toEqual(['HEAD manifests/1']);
    expect(testClient.exchanges.slice(-1)).toEqual(['manifest 200']);
  });

  it('reads an image whose tag has moved by the digest that the HEAD gave', async () => {
    push(testImage('old'), '1');
    await read();
    asked();
    const image = testImage('new');
    push(image, '1');
    expect(await read()).toMatchObject({ digest: image.digest });
    expect(asked()).toEqual(['HEAD manifests/1', `GET manifests/${image.digest}`, `GET blobs/${image.configDigest}`]);
  });

  it('asks nothing more than a HEAD when a tag moves back', async () => {
    const [one, two] = [testImage('one'), testImage('two')];
    for (const image of [one, two, one]) {
      push(image, '1');
      asked();
      await read();
    }
    expect(asked()).toEqual(['HEAD manifests/1']);
  });

  it('reads the manifest of a platform out of an index, linux/amd64 unless told otherwise', async () => {
    const [amd64, arm64] = [testImage('app', 'amd64'), testImage('app', 'arm64')];
    push(amd64);
    push(arm64);
    const index = testIndex({ arm64, amd64 });
    registry.putManifest('team/app', '1', { bytes: index, mediaType: ociIndex });
    expect(await read()).toMatchObject({ digest: amd64.digest, indexDigest: digestOf(index), mediaType: ociManifest });
    expect(asked()).toEqual(['GET manifests/1', `GET manifests/${amd64.digest}`, `GET blobs/${amd64.configDigest}`]);
    const other = await read('team/app:1', { platform: { os: 'linux', architecture: 'arm64' } });
    expect(other).toMatchObject({ digest: arm64.digest, config: { architecture: 'arm64' } });
    asked();
    await read();
    expect(asked()).toEqual(['HEAD manifests/1']);
  });

  it('says which platform an index does not have', async () => {
    registry.putManifest('team/app', '1', { bytes: testIndex({ amd64: testImage('app') }), mediaType: ociIndex });
    const failure = await failureFrom(
      read('team/app:1', { platform: { os: 'linux', architecture: 'arm', variant: 'v7' } }),
    );
    expect(failure).toMatchObject({ class: 'invalid', reason: 'ImageInvalid', repository: 'team/app' });
    expect(failure.message).toBe(`Cannot read image ${registry.host}/team/app:1: it has no manifest for linux/arm/v7`);
  });

  it('reads by digest', async () => {
    const image = testImage('app');
    push(image);
    expect(await read(`team/app@${image.digest}`)).toMatchObject({ digest: image.digest });
    asked();
    await read(`team/app@${image.digest}`);
    expect(asked()).toEqual([`HEAD manifests/${image.digest}`]);
  });

  it('does not show one repository what it has read of another', async () => {
    const image = testImage('app');
    push(image, '1');
    await read();
    asked();
    push(image, '1', 'other');
    await read('other:1');
    expect(asked()).toEqual(['GET /v2/other/manifests/1', `GET /v2/other/blobs/${image.configDigest}`]);
  });

  it('keeps no more than it may, and reads again what it dropped', async () => {
    await testClient.client.close();
    testClient = createTestClient({ limits: { cacheBytes: 1 } });
    const image = testImage('app');
    push(image, '1');
    await read();
    asked();
    await read();
    expect(asked()).toEqual(['HEAD manifests/1', `GET manifests/${image.digest}`, `GET blobs/${image.configDigest}`]);
  });

  it('asks for one token, whatever the number of readers', async () => {
    await registry.close();
    registry = await startOciRegistry({ auth: { kind: 'token', users: { user: 'pass' } } });
    push(testImage('app'), '1');
    const keychain: Keychain = { credentialFor: () => ({ username: 'user', password: 'pass' }) };
    await Promise.all(Array.from({ length: 20 }, () => read('team/app:1', { keychain })));
    expect(testClient.exchanges.filter((one) => one.startsWith('token'))).toEqual(['token 200']);
    expect(registry.connectionCount).toBeLessThanOrEqual(10);
  });
});

describe('a config', () => {
  const imageWith = (config: Buffer, size = config.length): TestImage => {
    const made = testImage('app');
    const manifest = json({
      schemaVersion: 2,
      mediaType: ociManifest,
      config: { ...descriptor('application/vnd.oci.image.config.v1+json', config), size },
      layers: [],
    });
    return { ...made, manifest, config, digest: digestOf(manifest), configDigest: digestOf(config) };
  };
  const rootfs = { type: 'layers', diff_ids: [] };

  it.each<[string, Buffer]>([
    ['that is not JSON', Buffer.from('no')],
    ['that is a list', json([])],
    ['of no image', json({})],
    ['with layers that are no digests', json({ rootfs: { type: 'layers', diff_ids: ['../../etc'] } })],
    ['with labels that are no texts', json({ rootfs, config: { Labels: { a: 1 } } })],
    ['with an environment that is none', json({ rootfs, config: { Env: 'PATH=/' } })],
    ['with an architecture that is a number', json({ rootfs, architecture: 64 })],
  ])('%s is of no use', async (_, config) => {
    push(imageWith(config), '1');
    expect(await failureFrom(read())).toMatchObject({
      class: 'invalid',
      reason: 'ImageInvalid',
      inRequestRetry: 'never',
    });
  });

  it('may leave out what it need not have, and have what nobody knows', async () => {
    const config = { rootfs, config: { Labels: null, Env: null, Odd: true }, 'moby.buildkit': 1 };
    push(imageWith(json(config)), '1');
    expect((await read()).config).toEqual(config);
  });

  it('that is announced larger than permitted is not read', async () => {
    push(imageWith(json({ rootfs }), 9_000_000), '1');
    const failure = await failureFrom(read());
    expect(failure.message).toMatch(/Cannot read image .*: the config is larger than 8388608 bytes$/);
    expect(asked()).toEqual(['GET manifests/1']);
  });

  it('that is larger than permitted, whatever is announced, is given up', async () => {
    await testClient.client.close();
    testClient = createTestClient({ limits: { configBytes: 100 } });
    push(imageWith(json({ rootfs, filler: 'x'.repeat(200) }), 50), '1');
    expect(await failureFrom(read())).toMatchObject({ class: 'invalid', reason: 'ImageInvalid' });
  });
});
