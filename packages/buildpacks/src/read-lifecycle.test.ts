import {
  createTar,
  forPlatform,
  multiPlatform,
  sampleLifecycleImage,
  withLabel,
  withoutLabel,
  type FaultAction,
} from '@buildkeeper/embedded-cluster';
import { anonymousKeychain } from '@buildkeeper/registry-client';
import { failureOf } from '@buildkeeper/retry-policy';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { sha256 } from './digest.ts';
import { labelNames } from './labels.ts';
import { readLifecycle, type ResolvedLifecycle } from './read-lifecycle.ts';
import { startBuilderWorld, type BuilderWorld } from './testing/builder-world.ts';

let world: BuilderWorld;
beforeAll(async () => {
  world = await startBuilderWorld();
});
afterEach(() => {
  world.proxy.clear();
});
afterAll(() => world.close());

const lifecycle = sampleLifecycleImage();
const certificates = createTar([{ name: '/etc/ssl/certs/own.pem', content: 'x' }]);

function read(image: string, previous?: ResolvedLifecycle) {
  return readLifecycle({ image }, { registry: world.client }, anonymousKeychain, world.signal, previous);
}

async function failureOfRead(image: string) {
  return failureOf(await read(image).catch((thrown: unknown) => thrown));
}

describe('readLifecycle', () => {
  it('says what it found', async () => {
    const { text, digest } = await world.put('lc', '1', lifecycle);
    const found = await read(text);
    expect(found).toMatchObject({
      image: { latestImage: `${world.reference('lc')}@${digest}`, image: text },
      version: '0.21.17',
      api: { buildpack: '0.7', platform: '0.7' },
      apis: { buildpack: { deprecated: null }, platform: { deprecated: null } },
      platform: { os: 'linux', arch: 'amd64', variant: '' },
      layer: { diffId: sha256(lifecycle.layers[1]!), compression: 'gzip' },
    });
    expect(found.apis.buildpack.supported).toEqual(['0.7', '0.8', '0.9', '0.10', '0.11', '0.12']);
  });

  it('sorts API versions by number, and has null for none', async () => {
    const apis = {
      buildpack: { supported: ['0.10', '0.9'], deprecated: [] },
      platform: { supported: ['1.0', '0.12'] },
    };
    const image = withLabel(lifecycle, labelNames.lifecycleApis, JSON.stringify(apis));
    const found = await read((await world.put('lc', '1', image)).text);
    expect(found.apis).toEqual({
      buildpack: { deprecated: null, supported: ['0.9', '0.10'] },
      platform: { deprecated: null, supported: ['0.12', '1.0'] },
    });
  });

  it('finds the layer of the lifecycle below others that were put on it', async () => {
    const image = { ...lifecycle, layers: [...lifecycle.layers, certificates, certificates] };
    const found = await read((await world.put('lc', '1', image)).text);
    expect(found.layer.diffId).toBe(sha256(lifecycle.layers[1]!));
  });

  it('takes the image of the platform out of an index', async () => {
    const index = multiPlatform(lifecycle, ['arm64', 'amd64']);
    const child = await world.put('lc', 'child', forPlatform(lifecycle, { os: 'linux', architecture: 'amd64' }));
    const found = await read((await world.put('lc', '1', index)).text);
    expect(found.image.latestImage).toContain(child.digest);
  });

  it('does not look into the layer again while the digest is the same', async () => {
    const { text } = await world.put('lc', '1', lifecycle);
    const first = await read(text);
    world.proxy.resetCounts();
    expect(await read(text, first)).toBe(first);
    expect(world.proxy.requests.map((request) => request.method)).toEqual(['HEAD']);
    await world.put('lc', '1', withLabel(lifecycle, 'moved', 'yes'));
    expect((await read(text, first)).image.latestImage).not.toBe(first.image.latestImage);
  });

  const tar = (name: string) => createTar([{ name, content: 'x' }]);
  it.each([
    { what: 'without its metadata', image: withoutLabel(lifecycle, labelNames.builderMetadata), says: 'has no label' },
    { what: 'without its APIs', image: withoutLabel(lifecycle, labelNames.lifecycleApis), says: 'has no label' },
    {
      what: 'without a lifecycle in its last layers',
      image: { ...lifecycle, layers: [...lifecycle.layers, ...['/a', '/b', '/c', '/d'].map(tar)] },
      says: 'none of its last 4 layers holds /cnb/lifecycle',
    },
    {
      what: 'with an empty lifecycle',
      image: { ...lifecycle, layers: [createTar([{ name: '/cnb/lifecycle' }])] },
      says: 'none of its last',
    },
    {
      what: 'with a layer that is no archive',
      image: { ...lifecycle, layers: [Buffer.alloc(2048, 'x')] },
      says: 'is not a tar archive',
    },
    { what: 'without layers', image: { ...lifecycle, layers: [] }, says: 'none of its last 0 layers' },
  ])('refuses an image $what', async ({ image, says }) => {
    const failure = await failureOfRead((await world.put('lc', '1', image)).text);
    expect(failure).toMatchObject({ class: 'invalid', reason: 'ImageInvalid' });
    expect(failure?.message).toContain(says);
  });

  it('refuses a layer that is not compressed as it says', async () => {
    const { text } = await world.put('lc', '1', lifecycle);
    const manifest = world.registry.getManifest('lc', '1')!;
    const json = JSON.parse(Buffer.from(manifest.bytes).toString()) as { layers: { digest: string; size: number }[] };
    const plain = Buffer.from(lifecycle.layers[1]!);
    Object.assign(json.layers[1]!, { digest: world.registry.putBlob('lc', plain), size: plain.length });
    world.registry.putManifest('lc', '1', { ...manifest, bytes: Buffer.from(JSON.stringify(json)) });
    expect(await failureOfRead(text)).toMatchObject({ class: 'invalid', reason: 'ImageInvalid' });
  });

  describe('whose layer comes badly', () => {
    const program = Buffer.concat(
      Array.from({ length: 65536 }, (_, index) => Buffer.from(sha256(String(index)).slice(7, 39), 'hex')),
    );
    const big = sampleLifecycleImage({ programs: { lifecycle: program, launcher: 'x' } });
    const padded = {
      ...big,
      layers: [big.layers[0]!, createTar([{ name: '/first', content: program }]), big.layers[1]!],
    };

    async function putWithFault(fault: FaultAction, times?: number): Promise<string> {
      const { text } = await world.put('lc', '1', padded);
      const manifest = Buffer.from(world.registry.getManifest('lc', '1')!.bytes).toString();
      const layer = /.*"digest":"(sha256:[0-9a-f]+)"/s.exec(manifest)![1]!;
      world.proxy.fault({
        method: 'GET',
        path: new RegExp(layer),
        action: fault,
        ...(times !== undefined && { times }),
      });
      return text;
    }

    it.each<{ fault: FaultAction; because: string }>([
      { fault: { kind: 'cutBody', afterBytes: 20 }, because: 'a cut body' },
      { fault: { kind: 'status', status: 503 }, because: 'an outage' },
      { fault: { kind: 'wrongBytes' }, because: 'bytes that are not those of the digest' },
    ])('is for another try after $because', async ({ fault }) => {
      expect(await failureOfRead(await putWithFault(fault))).toMatchObject({ class: 'transient' });
    });

    it('is read again at once when its bytes were spoilt on their way', async () => {
      const found = await read(await putWithFault({ kind: 'wrongBytes' }, 1));
      expect(found.layer.diffId).toBe(sha256(big.layers[1]!));
    });

    it('is not read to its end', async () => {
      const { text } = await world.put('lc', '1', big);
      const layer = /.*"digest":"(sha256:[0-9a-f]+)"/s.exec(
        Buffer.from(world.registry.getManifest('lc', '1')!.bytes).toString(),
      )![1]!;
      world.proxy.fault({ method: 'GET', path: new RegExp(layer), action: { kind: 'stallBody', afterBytes: 500_000 } });
      expect((await read(text)).layer.digest).toBe(layer);
    });
  });
});
