import {
  cyclicBuildpackage,
  helloMoon,
  sampleBuildpackage,
  withLabel,
  withoutLabel,
} from '@buildkeeper/embedded-cluster';
import { anonymousKeychain } from '@buildkeeper/registry-client';
import { failureOf } from '@buildkeeper/retry-policy';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildBuilder } from './build-builder.ts';
import { labelNames } from './labels.ts';
import { readStore } from './read-store.ts';
import { startBuilderWorld, type BuilderWorld } from './testing/builder-world.ts';

let world: BuilderWorld;
beforeEach(async () => {
  world = await startBuilderWorld();
});
afterEach(() => world.close());

type Previous = Parameters<typeof readStore>[1];

function read(images: readonly string[], previous: Previous = [], signal = world.signal) {
  const sources = images.map((image) => ({ image }));
  return readStore(sources, previous, { registry: world.client }, anonymousKeychain, signal);
}

function namesOf({ buildpacks }: Awaited<ReturnType<typeof read>>): string[] {
  return buildpacks.map((entry) => `${entry.id}@${entry.version ?? ''} ${entry.storeImage?.image ?? ''}`);
}

describe('readStore', () => {
  it('lists each buildpack of each source, sorted by name and then by image', async () => {
    const { helloWorld, helloWorldNext, helloMoon: moon, helloUniverse } = world.samples;
    const contents = await read([helloWorldNext, helloUniverse, helloWorld, moon]);
    expect(namesOf(contents)).toEqual([
      `sample/hello-moon@0.0.1 ${moon}`,
      `sample/hello-moon@0.0.1 ${helloUniverse}`,
      `sample/hello-universe@0.0.1 ${helloUniverse}`,
      `sample/hello-world@0.0.1 ${helloUniverse}`,
      `sample/hello-world@0.0.1 ${helloWorld}`,
      `sample/hello-world@0.0.2 ${helloWorldNext}`,
    ]);
    expect(contents).toMatchObject({ failures: [], isComplete: true });
  });

  it('says of each buildpack what a builder needs', async () => {
    const { buildpacks } = await read([world.samples.helloUniverse]);
    const manifest = world.registry.getManifest('samples/hello-universe', '0.0.1');
    const layers = (
      JSON.parse(Buffer.from(manifest!.bytes).toString()) as { layers: { digest: string; size: number }[] }
    ).layers;
    expect(buildpacks[1]).toEqual({
      id: 'sample/hello-universe',
      version: '0.0.1',
      api: '0.10',
      name: 'Hello Universe',
      homepage: 'https://buildpacks.io/docs/',
      order: [
        {
          group: [
            { id: 'sample/hello-world', version: '0.0.1' },
            { id: 'sample/hello-moon', version: '0.0.1' },
          ],
        },
      ],
      buildpackage: { id: 'sample/hello-universe', version: '0.0.1', homepage: 'https://buildpacks.io/docs/' },
      storeImage: { image: world.samples.helloUniverse },
      diffId: expect.stringMatching(/^sha256:/) as string,
      digest: layers[2]?.digest,
      size: layers[2]?.size,
    });
    expect(buildpacks[0]).toMatchObject({
      targets: [
        { os: 'linux', arch: 'amd64' },
        { os: 'linux', arch: 'arm64' },
      ],
    });
  });

  it('reads a source that is listed twice once', async () => {
    world.proxy.resetCounts();
    const contents = await read([world.samples.helloMoon, world.samples.helloMoon]);
    expect(contents.buildpacks).toHaveLength(1);
    expect(world.proxy.requests).toHaveLength(2);
  });

  it('reads a builder image as a source too', async () => {
    const result = await buildBuilder(await world.input(), { registry: world.client }, world.signal);
    const contents = await read([result.latestImage]);
    expect(contents.buildpacks.map((entry) => entry.id)).toEqual([
      'sample/hello-moon',
      'sample/hello-universe',
      'sample/hello-world',
    ]);
  });

  it('survives buildpacks that contain each other', async () => {
    const contents = await read([(await world.put('odd/cycle', '1', cyclicBuildpackage())).text]);
    expect(contents.buildpacks.map((entry) => entry.id)).toEqual(['sample/egg', 'sample/hen']);
  });
});

describe('a source that fails', () => {
  it('takes nothing from the others, and keeps what was known of it', async () => {
    const { helloWorld, helloMoon: moon } = world.samples;
    const before = await read([helloWorld, moon]);
    world.proxy.fault({ path: /hello-moon/, action: { kind: 'status', status: 503 } });
    const after = await read([helloWorld, moon, world.samples.helloUniverse], before.buildpacks);
    expect(namesOf(after)).toContain(`sample/hello-moon@0.0.1 ${moon}`);
    expect(namesOf(after)).toContain(`sample/hello-universe@0.0.1 ${world.samples.helloUniverse}`);
    expect(after.failures).toMatchObject([{ image: moon, failure: { class: 'transient', reason: 'RegistryError' } }]);
    expect(after.isComplete).toBe(true);
  });

  it('is missed until it was read once', async () => {
    world.proxy.fault({ path: /hello-moon/, action: { kind: 'reset' } });
    const contents = await read([world.samples.helloMoon, world.samples.helloWorld]);
    expect(namesOf(contents)).toEqual([`sample/hello-world@0.0.1 ${world.samples.helloWorld}`]);
    expect(contents.isComplete).toBe(false);
  });

  it('keeps nothing of sources that are listed no more', async () => {
    const before = await read([world.samples.helloWorld, world.samples.helloMoon]);
    await world.proxy.refuse();
    const after = await read([world.samples.helloMoon], before.buildpacks);
    expect(namesOf(after)).toEqual([`sample/hello-moon@0.0.1 ${world.samples.helloMoon}`]);
  });

  it('leaves the data of the old list in place while a source of the new list was never read', async () => {
    const { helloWorld, helloMoon: moon } = world.samples;
    const before = await read([moon]);
    const mistyped = await read([`${helloWorld}-typo`], before.buildpacks);
    expect(mistyped).toMatchObject({ isComplete: false, buildpacks: before.buildpacks });
    const mended = await read([helloWorld], mistyped.buildpacks);
    expect(namesOf(mended)).toEqual([`sample/hello-world@0.0.1 ${helloWorld}`]);
  });

  it('is told of each for itself, in the order of the list', async () => {
    const images = [
      world.reference('gone/a:1'),
      world.samples.helloMoon,
      'Not A Reference',
      world.reference('gone/b:1'),
    ];
    const contents = await read(images);
    expect(contents.failures.map(({ image, failure }) => [image, failure.class])).toEqual([
      [images[0], 'notFound'],
      [images[2], 'invalid'],
      [images[3], 'notFound'],
    ]);
    expect(contents.buildpacks).toHaveLength(1);
  });

  const moonWith = (layers: unknown) =>
    withLabel(sampleBuildpackage(helloMoon), labelNames.buildpackLayers, JSON.stringify(layers));
  it.each([
    {
      what: 'no label',
      image: withoutLabel(sampleBuildpackage(helloMoon), labelNames.buildpackLayers),
      says: 'has no label',
    },
    {
      what: 'a broken label',
      image: withLabel(sampleBuildpackage(helloMoon), labelNames.buildpackLayers, '{'),
      says: 'is not JSON',
    },
    {
      what: 'a layer that it does not have',
      image: moonWith({ a: { '1': { layerDiffID: `sha256:${'0'.repeat(64)}` } } }),
      says: 'it has no layer sha256:0000',
    },
  ])('is invalid with $what', async ({ image, says }) => {
    const contents = await read([(await world.put('odd/image', '1', image)).text, world.samples.helloWorld]);
    expect(contents.failures).toMatchObject([{ failure: { class: 'invalid', reason: 'ImageInvalid' } }]);
    expect(contents.failures[0]?.failure.message).toContain(says);
    expect(contents.buildpacks).toHaveLength(1);
  });
});

describe('a read that is stopped', () => {
  it('is about no source, and throws', async () => {
    const stop = new AbortController();
    world.proxy.fault({ path: /hello-moon/, action: { kind: 'hang' } });
    const reading = read([world.samples.helloMoon, world.samples.helloWorld], [], stop.signal);
    await expect.poll(() => world.proxy.requests.some((request) => request.action === 'hang')).toBe(true);
    stop.abort(new Error('stop'));
    const error: unknown = await reading.catch((thrown: unknown) => thrown);
    expect(failureOf(error)?.class).toBe('aborted');
  });
});
