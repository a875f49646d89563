import { sampleBuildpackage, sampleRunImage } from '@buildkeeper/embedded-cluster';
import { anonymousKeychain } from '@buildkeeper/registry-client';
import { failureOf } from '@buildkeeper/retry-policy';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildBuilder, type BuilderInput } from './build-builder.ts';
import { builderMetadata } from './builder-labels.ts';
import { readStack } from './read-stack.ts';
import { readStore } from './read-store.ts';
import { type BuilderResult } from './unchanged-builder.ts';
import { createTestClient, startBuilderWorld, type BuilderWorld } from './testing/builder-world.ts';

let world: BuilderWorld;
let input: BuilderInput;
let repositoryCount = 0;
beforeAll(async () => {
  world = await startBuilderWorld();
});
afterAll(() => world.close());
beforeEach(async () => {
  repositoryCount += 1;
  const order = [{ group: [{ id: 'sample/hello-universe' }] }];
  input = await world.input({ spec: { tag: world.reference(`team/b${repositoryCount}`), order } });
  world.proxy.resetCounts();
  world.registry.resetCounts();
});

const repository = () => `team/b${repositoryCount}`;
const build = (changes: Partial<BuilderInput> = {}, client = world.client) =>
  buildBuilder({ ...input, ...changes }, { registry: client }, world.signal);
const failureOfBuild = async (changes: Partial<BuilderInput>) =>
  failureOf(await build(changes).catch((error: unknown) => error));
const digestIn = (reference: string | undefined) => reference?.split('@')[1];
const sent = () => world.proxy.requests.map(({ method, path }) => `${method} ${path}`);

function manifestAt(tag: string) {
  const manifest = world.registry.getManifest(repository(), tag);
  return manifest === undefined ? undefined : Buffer.from(manifest.bytes).toString();
}

describe('a first build', () => {
  it('says which image it made, and what is in it', async () => {
    const result = await build();
    const tag = `${world.reference(repository())}:builder-team-sample`;
    expect(result).toEqual({
      latestImage: expect.stringMatching(`^${tag}@sha256:[0-9a-f]{64}$`) as string,
      builderMetadata: builderMetadata(
        ['hello-world', 'hello-moon', 'hello-universe'].map((name) => {
          const [store] = input.sources;
          const entry = store!.buildpacks.find((one) => one.id === `sample/${name}` && one.version === '0.0.1')!;
          return { id: entry.id, version: '0.0.1', entry, source: store! };
        }),
      ),
      order: [{ group: [{ id: 'sample/hello-universe', version: '0.0.1' }] }],
      stack: {
        id: input.stack.resolved.id,
        runImage: `${tag}-run-image@${digestIn(input.stack.resolved.runImage.latestImage)!}`,
      },
      lifecycle: {
        version: '0.21.17',
        api: { buildpack: '0.7', platform: '0.7' },
        apis: input.lifecycle.resolved.apis,
      },
      os: 'linux',
      inputsDigest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) as string,
    });
  });

  it('puts builder and run image under a name that moves and one that does not', async () => {
    const result = await build();
    const [builder, run] = [result.latestImage, result.stack.runImage].map((image) => digestIn(image)!);
    const tagOf = (digest: string | undefined) => `build-${digest?.slice(7, 19) ?? ''}`;
    expect(world.registry.tags(repository()).sort()).toEqual(
      ['builder-team-sample', 'builder-team-sample-run-image', tagOf(builder), tagOf(run)].sort(),
    );
    expect(manifestAt('builder-team-sample')).toBe(manifestAt(tagOf(builder)));
    expect(manifestAt('builder-team-sample-run-image')).toBe(manifestAt(tagOf(run)));
    const copied = world.registry.getManifest('samples/run', 'base')!;
    expect(manifestAt('builder-team-sample-run-image')).toBe(Buffer.from(copied.bytes).toString());
  });

  it('moves the tag of the builder last, after all that it needs', async () => {
    await build();
    const requests = sent();
    const firstManifest = requests.findIndex((one) => one.startsWith('PUT') && one.includes('/manifests/'));
    expect(requests.slice(firstManifest).every((one) => one.includes('/manifests/'))).toBe(true);
    expect(requests.at(-1)).toBe(`PUT /v2/${repository()}/manifests/builder-team-sample`);
  });

  it('takes at most 25 requests with six buildpacks', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const put = (id: string) => world.put(`six/${id}`, '1', sampleBuildpackage({ id: `six/${id}`, version: '1' }));
    const images = await Promise.all(names.map(put));
    const deps = { registry: world.client };
    const store = await readStore(
      images.map(({ text }) => ({ image: text })),
      [],
      deps,
      anonymousKeychain,
      world.signal,
    );
    const six = {
      sources: [
        { kind: 'ClusterStore' as const, name: 's', buildpacks: store.buildpacks, keychain: anonymousKeychain },
      ],
      spec: { tag: input.spec.tag, order: [{ group: names.map((id) => ({ id: `six/${id}` })) }] },
    };
    world.proxy.resetCounts();
    await build(six);
    expect(world.proxy.requests.length).toBeLessThanOrEqual(25);
  });

  it('sends nothing that the registry can mount', async () => {
    await build();
    expect(world.registry.uploads).toHaveLength(4);
  });

  it('makes the same image under the same name again', async () => {
    const first = await build();
    world.registry.resetCounts();
    expect(await build()).toEqual(first);
    expect(world.registry.uploads).toEqual([]);
  });
});

describe('an unchanged builder', () => {
  let previous: BuilderResult;
  beforeEach(async () => {
    previous = await build();
    world.proxy.resetCounts();
  });

  it('costs one request, and its result stays', async () => {
    expect(await build({ previous })).toEqual(previous);
    expect(sent()).toEqual([`HEAD /v2/${repository()}/manifests/builder-team-sample`]);
  });

  it('costs one request after a restart too', async () => {
    const client = createTestClient([world.proxy.host]);
    expect(await build({ previous: structuredClone(previous) }, client)).toEqual(previous);
    expect(sent()).toHaveLength(1);
    await client.close();
  });

  it('does not depend on the sequence of anything', async () => {
    const [store] = input.sources;
    const sources = [{ ...store!, buildpacks: [...store!.buildpacks].reverse().map(reversed) }];
    const stack = { ...input.stack, resolved: reversed(input.stack.resolved) };
    expect(await build({ previous, sources, stack })).toEqual(previous);
    expect(sent()).toHaveLength(1);
  });

  it('stays when its layers would be copied from somewhere else', async () => {
    const [store] = input.sources;
    const buildpacks = store!.buildpacks.map((entry) => ({ ...entry, storeImage: { image: 'mirror.example/x:1' } }));
    expect(await build({ previous, sources: [{ ...store!, buildpacks }] })).toEqual(previous);
  });

  it('is made again when its tag is gone or points elsewhere', async () => {
    world.registry.deleteManifest(repository(), 'builder-team-sample');
    expect(await build({ previous })).toEqual(previous);
    const other = world.registry.getManifest('samples/run', 'base')!;
    world.registry.putManifest(repository(), 'builder-team-sample', other);
    expect(await build({ previous })).toEqual(previous);
    expect(digestIn(previous.latestImage)).toBe(
      (
        await world.client.headManifest(
          { registry: world.proxy.host, repository: repository(), tag: 'builder-team-sample', text: '' },
          anonymousKeychain,
          world.signal,
        )
      ).digest,
    );
  });

  it('fails when its tag cannot be asked for, and is not pushed blindly', async () => {
    const fault = world.proxy.fault({ method: 'HEAD', action: { kind: 'status', status: 500 } });
    expect(await failureOfBuild({ previous })).toMatchObject({ class: 'transient' });
    fault.remove();
    expect(sent().filter((one) => !one.startsWith('HEAD') && !one.startsWith('GET'))).toEqual([]);
  });

  it('is made again when its status is not whole', async () => {
    const { latestImage, inputsDigest } = previous;
    expect(await build({ previous: { latestImage, inputsDigest } })).toEqual(previous);
    expect(sent().length).toBeGreaterThan(1);
  });
});

describe('a changed input', () => {
  let previous: BuilderResult;
  beforeEach(async () => {
    previous = await build();
    world.registry.resetCounts();
  });

  it('of labels sends the config alone', async () => {
    const next = await build({ previous, spec: { ...input.spec, additionalLabels: { team: 'blue' } } });
    expect(next.latestImage).not.toBe(previous.latestImage);
    expect(next.inputsDigest).not.toBe(previous.inputsDigest);
    expect(world.registry.uploads).toHaveLength(1);
  });

  it('of the order sends what names the buildpacks', async () => {
    const spec = { ...input.spec, order: [{ group: [{ id: 'sample/hello-world' }] }] };
    const next = await build({ previous, spec });
    expect(next.builderMetadata.map((one) => `${one.id}@${one.version ?? ''}`)).toEqual(['sample/hello-world@0.0.2']);
    expect(world.registry.uploads).toHaveLength(2);
  });

  it('of the run image copies it and names it', async () => {
    const run = await world.put(`stack/run${repositoryCount}`, '1', sampleRunImage({ revision: repositoryCount + 1 }));
    const { buildImage, runImage, id } = input.stack.resolved;
    const spec = { id, buildImage: { image: buildImage.image! }, runImage: { image: runImage.image! } };
    const resolved = await readStack(
      { ...spec, runImage: { image: run.text } },
      { registry: world.client },
      anonymousKeychain,
      world.signal,
    );
    const next = await build({ previous, stack: { ...input.stack, resolved } });
    expect(digestIn(next.stack.runImage)).toBe(run.digest);
    expect(manifestAt(`build-${run.digest.slice(7, 19)}`)).toBe(manifestAt('builder-team-sample-run-image'));
    expect(manifestAt(`build-${digestIn(previous.stack.runImage)!.slice(7, 19)}`)).toBeDefined();
  });

  it('of a place writes to that place', async () => {
    const next = await build({ previous, spec: { ...input.spec, tag: `${input.spec.tag}:latest` } });
    expect(next.latestImage).toContain(':latest@');
    expect(next.stack.runImage).toContain(':latest-run-image@');
  });
});

describe('what cannot be built', () => {
  it.each<{ what: string; changes: () => Partial<BuilderInput>; reason: string }>([
    { what: 'an empty order', changes: () => ({ spec: { tag: input.spec.tag } }), reason: 'SpecInvalid' },
    {
      what: 'a tag with a digest',
      changes: () => ({ spec: { ...input.spec, tag: `a/b@sha256:${'0'.repeat(64)}` } }),
      reason: 'SpecInvalid',
    },
    { what: 'a buildpack that is missing', changes: () => ({ sources: [] }), reason: 'BuildpackNotFound' },
    {
      what: 'a buildpack for another stack',
      changes: () => ({ sources: withEntries({ stacks: [{ id: 'other' }] }) }),
      reason: 'ImageInvalid',
    },
  ])('costs no request: $what', async ({ changes, reason }) => {
    expect(await failureOfBuild(changes())).toMatchObject({ class: 'invalid', reason });
    expect(sent()).toEqual([]);
  });

  it('writes nothing for a buildpack that is for another platform', async () => {
    const failure = await failureOfBuild({ sources: withEntries({ targets: [{ os: 'linux', arch: 'riscv64' }] }) });
    expect(failure).toMatchObject({ class: 'invalid', reason: 'ImageInvalid' });
    expect(failure?.message).toContain('is for none of what');
    expect(world.registry.tags(repository())).toEqual([]);
  });

  it('warns of an optional buildpack for another platform, and builds', async () => {
    const warnings: string[] = [];
    const warn = (message: string) => warnings.push(message);
    const sources = withEntries({ targets: [{ os: 'linux', arch: 'riscv64' }] });
    const order = [{ group: [{ id: 'sample/hello-moon', optional: true }] }];
    await buildBuilder(
      { ...input, sources, spec: { ...input.spec, order } },
      { registry: world.client, warn },
      world.signal,
    );
    expect(warnings).toEqual([expect.stringContaining('Optional buildpack "sample/hello-moon@0.0.1"')]);
  });
});

/** The sources of the input, with every entry that is no composite changed. */
function withEntries(changes: object): BuilderInput['sources'] {
  return input.sources.map((source) => ({
    ...source,
    buildpacks: source.buildpacks.map((entry) => (entry.order === undefined ? { ...entry, ...changes } : entry)),
  }));
}

function reversed<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).reverse()) as T;
}
