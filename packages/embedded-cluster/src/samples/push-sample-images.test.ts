import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FaultProxy, startFaultProxy } from '../proxy/start-fault-proxy.ts';
import { type RegistryAuth } from '../registry/authority.ts';
import { startDockerRegistry } from '../registry/start-docker-registry.ts';
import { type OciRegistry, startOciRegistry } from '../registry/start-oci-registry.ts';
import { pushImage } from './image-sink.ts';
import { cyclicBuildpackage, multiPlatform, withEnv, withLabel, withoutLabel } from './odd-images.ts';
import { pushSampleImages, putSampleImages, type SampleImages } from './push-sample-images.ts';
import { sampleBuildImage } from './base-images.ts';

const users = { ann: 'secret' };
const credential = { username: 'ann', password: 'secret' };
const digestsIn = (registry: OciRegistry, images: SampleImages) =>
  references(images).map((reference) => {
    const [, repository = '', tag = ''] = /^[^/]+\/(.+):(.+)$/.exec(reference) ?? [];
    return registry.getManifest(repository, tag)?.bytes.toString();
  });
const references = ({ buildImage, runImage, lifecycle, buildpackages }: SampleImages) => [
  buildImage,
  runImage,
  lifecycle,
  ...buildpackages,
];

let registry: OciRegistry;
let proxy: FaultProxy;
async function start(auth: RegistryAuth): Promise<void> {
  registry = await startOciRegistry({ auth });
  proxy = await startFaultProxy({ targetPort: registry.port });
}
beforeEach(() => start({ kind: 'none' }));
afterEach(async () => {
  await proxy.close();
  await registry.close();
});

describe('pushSampleImages', () => {
  it('pushes seven images and names them', async () => {
    const images = await pushSampleImages({ registry: registry.host });
    expect(references(images)).toEqual(
      [
        'build:base',
        'run:base',
        'lifecycle:0.21.17',
        'hello-world:0.0.1',
        'hello-world:0.0.2',
        'hello-moon:0.0.1',
        'hello-universe:0.0.1',
      ].map((name) => `${registry.host}/samples/${name}`),
    );
    expect(digestsIn(registry, images)).not.toContain(undefined);
  });

  it('sends nothing twice, and pushes the same the next time', async () => {
    const first = await pushSampleImages({ registry: registry.host });
    const before = digestsIn(registry, first);
    registry.resetCounts();
    const second = await pushSampleImages({ registry: registry.host });
    expect(registry.uploads).toEqual([]);
    expect(digestsIn(registry, second)).toEqual(before);
    expect(registry.connectionCount).toBe(1);
  });

  it('moves the base images alone to another revision', async () => {
    const before = digestsIn(registry, await pushSampleImages({ registry: registry.host }));
    const after = digestsIn(registry, await pushSampleImages({ registry: registry.host, revision: 2 }));
    expect(after.map((bytes, index) => bytes !== before[index])).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
      false,
    ]);
  });

  it.each([
    ['basic', { kind: 'basic', users }],
    ['token', { kind: 'token', users }],
  ] as const)('pushes through a proxy with %s access', async (_kind, auth) => {
    await registry.close();
    await proxy.close();
    await start(auth);
    const images = await pushSampleImages({ registry: proxy.host, credential, prefix: 'team/x' });
    expect(digestsIn(registry, images)).not.toContain(undefined);
    expect(images.runImage).toBe(`${proxy.host}/team/x/run:base`);
    expect(proxy.requests.length).toBe(registry.requests.length);
  });

  it('says which request was refused, and no secret', async () => {
    await registry.close();
    await proxy.close();
    await start({ kind: 'basic', users });
    const pushing = pushSampleImages({ registry: registry.host, credential: { username: 'ann', password: 'guess' } });
    await expect(pushing).rejects.toThrow(
      /^Cannot push a sample: HEAD http:\/\/127\.0\.0\.1:\d+\/v2\/samples\/build\/blobs\/sha256:\w+ answered 401/,
    );
  });

  it('fails when the registry is away', async () => {
    await proxy.refuse();
    await expect(pushSampleImages({ registry: proxy.host })).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});

describe('putSampleImages', () => {
  it('fills a registry from the inside, with references that lead elsewhere', async () => {
    const images = await putSampleImages(registry, proxy.host);
    expect(references(images).every((reference) => reference.startsWith(proxy.host))).toBe(true);
    expect(digestsIn(registry, images)).not.toContain(undefined);
    expect(registry.requests).toEqual([]);
  });
});

describe('odd images', () => {
  const image = sampleBuildImage();

  it('miss a label or have a huge one', () => {
    expect(withoutLabel(image, 'io.buildpacks.stack.id').config.Labels).not.toHaveProperty('io.buildpacks.stack.id');
    expect(withLabel(image, 'huge', 'x'.repeat(5_000_000)).config.Labels['huge']).toHaveLength(5_000_000);
    expect(image.config.Labels).toHaveProperty('io.buildpacks.stack.id');
  });

  it('miss an environment variable or have another one', () => {
    expect(withEnv(image, 'CNB_USER_ID', undefined).config.Env?.join()).not.toMatch(/CNB_USER_ID/);
    expect(withEnv(image, 'CNB_USER_ID', 'a=b').config.Env?.at(-1)).toBe('CNB_USER_ID=a=b');
  });

  it('come for several platforms', async () => {
    const digest = await pushImage(
      registry,
      { repository: 'odd', tag: 'many' },
      multiPlatform(image, ['amd64', 'arm64'], 'oci'),
    );
    const { bytes, mediaType } = registry.getManifest('odd', digest) ?? { bytes: Buffer.alloc(0), mediaType: '' };
    expect(mediaType).toBe('application/vnd.oci.image.index.v1+json');
    const { manifests } = JSON.parse(bytes.toString()) as { manifests: { digest: string; platform: object }[] };
    expect(manifests.map(({ platform }) => platform)).toEqual(
      ['amd64', 'arm64'].map((architecture) => ({ architecture, os: 'linux' })),
    );
    for (const child of manifests) expect(registry.getManifest('odd', child.digest)).toBeDefined();
  });

  it('order one another in a circle', () => {
    const layers = JSON.parse(cyclicBuildpackage().config.Labels['io.buildpacks.buildpack.layers'] ?? '') as Record<
      string,
      unknown
    >;
    const entry = (id: string) => ({ '0.0.1': { order: [{ group: [{ id, version: '0.0.1' }] }] } });
    expect(layers).toMatchObject({ 'sample/hen': entry('sample/egg'), 'sample/egg': entry('sample/hen') });
  });
});

const hasSkopeo = existsSync('/usr/bin/skopeo') || process.env['CI'] !== undefined;
const skopeo = async (...args: string[]) =>
  JSON.parse((await promisify(execFile)('skopeo', args)).stdout) as Record<string, unknown>;

describe.skipIf(!hasSkopeo)('skopeo', () => {
  it.each(['docker', 'oci'] as const)('reads every sample image with %s types', async (family) => {
    const images = await pushSampleImages({ registry: registry.host, family });
    const configs = await Promise.all(
      references(images).map((reference) =>
        skopeo('inspect', '--config', '--tls-verify=false', `docker://${reference}`),
      ),
    );
    expect(configs.map(({ os }) => os)).toEqual(configs.map(() => 'linux'));
  });
});

const open = await startDockerRegistry();
const guarded = await startDockerRegistry({ users });

describe.skipIf(open === undefined && process.env['CI'] === undefined)('docker-registry', () => {
  afterAll(() => Promise.all([open!.close(), guarded!.close()]));

  it.each(['docker', 'oci'] as const)('takes every sample image with %s types', async (family) => {
    const anonymous = await pushSampleImages({ registry: open!.host, family });
    const known = await pushSampleImages({ registry: guarded!.host, family, credential });
    expect([references(anonymous), references(known)].map(({ length }) => length)).toEqual([7, 7]);
  });
});
