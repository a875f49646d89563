import {
  forPlatform,
  multiPlatform,
  sampleBuildImage,
  sampleRunImage,
  sampleStackId,
  withEnv,
  withLabel,
  withoutLabel,
  type SampleImage,
  type SampleIndex,
} from '@buildkeeper/embedded-cluster';
import { anonymousKeychain } from '@buildkeeper/registry-client';
import { failureOf } from '@buildkeeper/retry-policy';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { labelNames } from './labels.ts';
import { readStack, resolvedStackOf } from './read-stack.ts';
import { startBuilderWorld, type BuilderWorld } from './testing/builder-world.ts';

let world: BuilderWorld;
let imageCount = 0;
beforeAll(async () => {
  world = await startBuilderWorld();
});
afterAll(() => world.close());

/** Puts an image under a tag of its own; answers the reference and the digest that the tag has. */
function put(image: SampleImage | SampleIndex) {
  imageCount += 1;
  return world.put('stack/image', `t${imageCount}`, image);
}

async function read(build: SampleImage | SampleIndex, run: SampleImage | SampleIndex, id = sampleStackId) {
  const spec = { id, buildImage: { image: (await put(build)).text }, runImage: { image: (await put(run)).text } };
  return readStack(spec, { registry: world.client }, anonymousKeychain, world.signal);
}

describe('readStack', () => {
  it('says what it found, with the digests of now', async () => {
    const build = await put(sampleBuildImage());
    const run = await put(sampleRunImage());
    const spec = { id: sampleStackId, buildImage: { image: build.text }, runImage: { image: run.text } };
    const stack = await readStack(spec, { registry: world.client }, anonymousKeychain, world.signal);
    expect(stack).toEqual({
      id: sampleStackId,
      buildImage: { latestImage: `${world.reference('stack/image')}@${build.digest}`, image: build.text },
      runImage: { latestImage: `${world.reference('stack/image')}@${run.digest}`, image: run.text },
      mixins: ['shared-mixin', 'build:compiler', 'run:runtime'],
      userId: 1001,
      groupId: 1000,
    });
    expect(resolvedStackOf({ ...stack, observedGeneration: 1 })).toEqual(stack);
  });

  it('pins the image of the platform and not the index, which no lifecycle reports', async () => {
    const child = await put(forPlatform(sampleRunImage(), { os: 'linux', architecture: 'amd64' }));
    const stack = await read(
      multiPlatform(sampleBuildImage(), ['arm64', 'amd64']),
      multiPlatform(sampleRunImage(), ['arm64', 'amd64']),
    );
    expect(stack.runImage.latestImage).toBe(`${world.reference('stack/image')}@${child.digest}`);
  });

  it('splits the environment at the first equals sign', async () => {
    const stack = await read(withEnv(sampleBuildImage(), 'OPTS', 'a=b=c'), sampleRunImage());
    expect(stack.userId).toBe(1001);
  });

  it('takes images without a stack label when both are of the distribution', async () => {
    const stack = await read(
      withoutLabel(sampleBuildImage(), labelNames.stackId),
      withoutLabel(sampleRunImage(), labelNames.stackId),
      'my.stack',
    );
    expect(stack.id).toBe('my.stack');
  });

  const noMixins = (image: SampleImage) => withoutLabel(image, labelNames.stackMixins);
  const mixins = (image: SampleImage, ...list: string[]) =>
    withLabel(image, labelNames.stackMixins, JSON.stringify(list));

  it.each([
    { build: ['a', 'build:b'], run: ['a', 'run:c', 'd'], gives: ['a', 'build:b', 'run:c'] },
    { build: ['b', 'a'], run: ['a', 'b'], gives: ['b', 'a'] },
    { build: [], run: [], gives: [] },
  ])('joins mixins $build and $run to $gives', async ({ build, run, gives }) => {
    const stack = await read(mixins(sampleBuildImage(), ...build), mixins(sampleRunImage(), ...run));
    expect(stack.mixins).toEqual(gives);
  });

  const otherDistro = (image: SampleImage) =>
    withLabel(withoutLabel(image, labelNames.stackId), labelNames.distroVersion, '13');

  it.each([
    { what: 'another stack', build: sampleBuildImage(), run: sampleRunImage(), id: 'other', says: 'its stack is' },
    {
      what: 'a run image of another stack',
      build: sampleBuildImage(),
      run: withLabel(sampleRunImage(), labelNames.stackId, 'other'),
      says: 'its stack is "other", not',
    },
    {
      what: 'no stack label and another distribution',
      build: sampleBuildImage(),
      run: otherDistro(sampleRunImage()),
      says: 'has no label io.buildpacks.stack.id',
    },
    {
      what: 'no user',
      build: withEnv(sampleBuildImage(), 'CNB_USER_ID', undefined),
      run: sampleRunImage(),
      says: 'its environment lacks CNB_USER_ID',
    },
    {
      what: 'a group that is no number',
      build: withEnv(sampleBuildImage(), 'CNB_GROUP_ID', '1000=1'),
      run: sampleRunImage(),
      says: 'its CNB_GROUP_ID is "1000=1"',
    },
    {
      what: 'a user out of range',
      build: withEnv(sampleBuildImage(), 'CNB_USER_ID', '4294967296'),
      run: sampleRunImage(),
      says: 'its CNB_USER_ID is',
    },
    {
      what: 'mixins for run images on the build image',
      build: mixins(sampleBuildImage(), 'run:x'),
      run: noMixins(sampleRunImage()),
      says: 'for run images only: "run:x"',
    },
    {
      what: 'mixins for build images on the run image',
      build: noMixins(sampleBuildImage()),
      run: mixins(sampleRunImage(), 'build:x'),
      says: 'for build images only: "build:x"',
    },
    {
      what: 'mixins that the run image lacks',
      build: mixins(sampleBuildImage(), 'x', 'y'),
      run: mixins(sampleRunImage(), 'y'),
      says: /lacks mixins of build image .*: "x"/,
    },
    {
      what: 'mixins that are no list',
      build: withLabel(sampleBuildImage(), labelNames.stackMixins, '{}'),
      run: sampleRunImage(),
      says: 'label io.buildpacks.stack.mixins is not an array',
    },
    {
      what: 'another architecture',
      build: sampleBuildImage(),
      run: forPlatform(sampleRunImage(), { architecture: 'arm64' }),
      says: /it is for linux\/arm64, not for linux\/amd64 of build image/,
    },
    {
      what: 'another operating system',
      build: forPlatform(sampleBuildImage(), { os: 'windows' }),
      run: forPlatform(sampleRunImage(), { os: 'windows' }),
      says: 'its operating system is "windows"; only linux is supported',
    },
  ])('refuses $what', async ({ build, run, id, says }) => {
    const error: unknown = await read(build, run, id).catch((thrown: unknown) => thrown);
    expect(failureOf(error)).toMatchObject({
      class: 'invalid',
      reason: 'ImageInvalid',
      message: expect.stringMatching(says) as string,
    });
  });

  it('leaves failures of the registry as the client judged them', async () => {
    const spec = {
      id: sampleStackId,
      buildImage: { image: (await put(sampleBuildImage())).text },
      runImage: { image: world.reference('stack/image:gone') },
    };
    const error: unknown = await readStack(spec, { registry: world.client }, anonymousKeychain, world.signal).catch(
      (thrown: unknown) => thrown,
    );
    expect(failureOf(error)).toMatchObject({ class: 'notFound', reason: 'ImageNotFound' });
  });
});

describe('resolvedStackOf', () => {
  const whole = {
    id: 'a',
    buildImage: { latestImage: 'b' },
    runImage: { latestImage: 'c' },
    mixins: [],
    userId: 1,
    groupId: 0,
  };
  it.each([
    { status: undefined },
    { status: {} },
    { status: { ...whole, buildImage: {} } },
    { status: { ...whole, runImage: {} } },
    { status: { id: 'a', buildImage: whole.buildImage, runImage: whole.runImage, groupId: 1 } },
  ])('is undefined until all is there: $status', ({ status }) => {
    expect(resolvedStackOf(status)).toBeUndefined();
  });

  it('takes absent mixins for none, as kpack stores them', () => {
    const { id, buildImage, runImage, userId, groupId } = whole;
    expect(resolvedStackOf({ id, buildImage, runImage, userId, groupId })).toEqual(whole);
  });
});
