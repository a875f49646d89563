import { pushSampleImages, startOciRegistry, type FaultAction } from '@buildkeeper/embedded-cluster';
import { type Keychain } from '@buildkeeper/registry-client';
import { failureOf } from '@buildkeeper/retry-policy';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildBuilder, type BuilderInput } from './build-builder.ts';
import { createTestClient, sampleInput, startBuilderWorld, type BuilderWorld } from './testing/builder-world.ts';

let world: BuilderWorld;
let input: BuilderInput;
beforeEach(async () => {
  world = await startBuilderWorld();
  input = await world.input();
  world.proxy.resetCounts();
  world.registry.resetCounts();
});
afterEach(() => world.close());

function build(repository = 'team/builder') {
  const spec = { ...input.spec, tag: world.reference(`${repository}:v1`) };
  return buildBuilder({ ...input, spec }, { registry: world.client }, world.signal);
}

const failureOfBuild = async (repository?: string) =>
  failureOf(await build(repository).catch((error: unknown) => error));

describe('a build that breaks off', () => {
  it.each<{ action: FaultAction; because: string }>([
    { action: { kind: 'status', status: 503 }, because: 'the registry failed' },
    { action: { kind: 'loseAnswer' }, because: 'an answer was lost' },
  ])('at any request is finished by the next one, which sends nothing twice, after $because', async ({ action }) => {
    await build('team/whole');
    const requests = world.proxy.requests.filter(({ path }) => path.includes('team/whole'));
    const blobs = world.registry.uploads.filter((upload) => upload.repository === 'team/whole');
    for (const index of requests.keys()) {
      const repository = `team/broken${index}`;
      const fault = world.proxy.fault({ path: new RegExp(repository), skip: index, times: 1, action });
      expect(await failureOfBuild(repository)).toMatchObject({ class: 'transient' });
      const isLast = index === requests.length - 1;
      expect(world.registry.tags(repository).includes('v1')).toBe(isLast && action.kind === 'loseAnswer');
      await build(repository);
      expect(fault.hits).toBe(1);
      const uploads = world.registry.uploads.filter((upload) => upload.repository === repository);
      const digests = uploads.map((upload) => upload.digest);
      expect(new Set(digests).size).toBe(digests.length);
      expect(digests).toHaveLength(blobs.length);
    }
  });

  it('asks a registry that takes nothing with one request, not with all that it has to send', async () => {
    world.proxy.fault({ path: /team\/builder/, action: { kind: 'status', status: 503 } });
    expect(await failureOfBuild()).toMatchObject({ reason: 'RegistryError' });
    expect(world.proxy.requests.filter((request) => request.action === 'status')).toHaveLength(1);
  });

  it('begins nothing new after a failure, and waits for what is under way', async () => {
    world.proxy.fault({ method: 'POST', skip: 2, action: { kind: 'status', status: 503 } });
    await failureOfBuild();
    const count = world.proxy.requests.length;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(world.proxy.requests).toHaveLength(count);
    expect(
      world.proxy.requests.filter(({ path }) => path.includes('/manifests/')).every(({ method }) => method !== 'PUT'),
    ).toBe(true);
  });

  it('says the same of the same outage each time', async () => {
    await failureOfBuild();
    await world.proxy.refuse();
    // The first may still meet a pooled connection, and be told of a reset.
    await failureOfBuild('team/other');
    const failures = [await failureOfBuild('team/other'), await failureOfBuild('team/other')];
    expect(failures[0]).toMatchObject({ class: 'transient', reason: 'RegistryUnavailable' });
    expect(failures[0]?.message).toBe(failures[1]?.message);
  });

  it('ends at once when it is stopped', async () => {
    const stop = new AbortController();
    world.proxy.fault({ method: 'POST', action: { kind: 'hang' } });
    const building = buildBuilder(input, { registry: world.client }, stop.signal).catch((error: unknown) => error);
    await expect.poll(() => world.proxy.requests.some(({ action }) => action === 'hang')).toBe(true);
    stop.abort(new Error('stop'));
    expect(failureOf(await building)).toMatchObject({ class: 'aborted' });
  });
});

describe('a registry that mounts badly', () => {
  it.each([401, 403, 404, 405])('and answers %i to mounts is sent the blobs', async (status) => {
    world.proxy.fault({ method: 'POST', path: /from=samples/, action: { kind: 'status', status } });
    const result = await build();
    expect(result.latestImage).toContain('team/builder:v1@');
    expect(world.registry.uploads.length).toBeGreaterThan(4);
  });

  it('and says that blobs are there which are not gets them with the next build', async () => {
    const lie = world.proxy.fault({ method: 'POST', path: /from=samples/, action: { kind: 'status', status: 201 } });
    expect(await failureOfBuild()).toMatchObject({ class: 'transient', reason: 'UploadRejected' });
    expect(world.registry.tags('team/builder')).toEqual([]);
    const result = await build();
    expect(lie.hits).toBeGreaterThan(0);
    expect(result.latestImage).toContain('team/builder:v1@');
  });
});

describe('blobs that are gone', () => {
  it('from the source are the failure of the source', async () => {
    const layer = input.sources[0]!.buildpacks.find((entry) => entry.id === 'sample/hello-moon')!.digest!;
    for (const name of ['hello-moon', 'hello-universe']) world.registry.deleteBlob(`samples/${name}`, layer);
    expect(await failureOfBuild()).toMatchObject({ class: 'notFound' });
    expect(world.registry.tags('team/builder')).toEqual([]);
  });
});

describe('credentials', () => {
  const keychain = (username: string): Keychain => ({ credentialFor: () => ({ username, password: 'p' }) });

  it('of the sources read, and those of the builder write', async () => {
    const source = await startOciRegistry({ auth: { kind: 'basic', users: { reader: 'p' } } });
    const target = await startOciRegistry({ auth: { kind: 'basic', users: { writer: 'p' } } });
    const client = createTestClient([source.host, target.host]);
    const samples = await pushSampleImages({
      registry: source.host,
      credential: { username: 'reader', password: 'p' },
    });
    const [sourceKeychain, ownKeychain] = [keychain('reader'), keychain('writer')];
    const own = await sampleInput(client, samples, { host: target.host, sourceKeychain, ownKeychain });
    const result = await buildBuilder(own, { registry: client }, world.signal);
    expect(target.getManifest('team/builder', 'builder-team-sample')).toBeDefined();
    expect(result.latestImage).toContain(target.host);
    await client.close();
    await source.close();
    await target.close();
  });
});
