import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { sha256Digest } from '../registry/registry-store.ts';
import { readTar } from '../testing/read-tar.ts';
import { sampleBuildImage, sampleRunImage, sampleStackId } from './base-images.ts';
import { helloMoon, helloUniverse, helloWorld, sampleBuildpackage } from './buildpackages.ts';
import { sampleLifecycleImage, sampleLifecycleVersion } from './lifecycle-image.ts';
import { encodeImage, type ImageFamily, mediaTypes, type SampleImage } from './sample-image.ts';

const world = sampleBuildpackage(helloWorld());
const moon = sampleBuildpackage(helloMoon);
const universe = sampleBuildpackage(helloUniverse, [helloWorld(), helloMoon]);
const every: [string, (family: ImageFamily) => SampleImage][] = [
  ['build image', (family) => sampleBuildImage({ family })],
  ['run image', (family) => sampleRunImage({ family })],
  ['lifecycle', (family) => sampleLifecycleImage({ family })],
  ['component buildpackage', (family) => sampleBuildpackage(helloWorld(), [], family)],
  ['composite buildpackage', (family) => sampleBuildpackage(helloUniverse, [helloWorld(), helloMoon], family)],
];

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

const parse = (bytes: Uint8Array | string | undefined): unknown => JSON.parse(Buffer.from(bytes ?? '').toString());
const label = (image: SampleImage, name: string): unknown => parse(image.config.Labels[name]);

describe.each(every)('%s', (_name, make) => {
  it.each(['docker', 'oci'] as const)('is described by its %s manifest', (family) => {
    const { manifest, blobs, digest } = encodeImage(make(family));
    const types = mediaTypes[family];
    const body = parse(manifest.bytes) as { mediaType: string; config: Descriptor; layers: Descriptor[] };
    expect([manifest.mediaType, body.mediaType, sha256Digest(manifest.bytes)]).toEqual([
      types.manifest,
      types.manifest,
      digest,
    ]);
    const described = blobs.map((blob) => ({ digest: sha256Digest(blob), size: blob.length }));
    expect([...body.layers, body.config].map(({ digest, size }) => ({ digest, size }))).toEqual(described);
    expect([...body.layers, body.config].map(({ mediaType }) => mediaType)).toEqual([
      ...body.layers.map(() => types.layer),
      types.config,
    ]);
  });

  it('has a config whose diff ids are those of its unpacked layers', () => {
    const { blobs } = encodeImage(make('docker'));
    const config = parse(blobs.at(-1)) as {
      os: string;
      architecture: string;
      rootfs: { diff_ids: string[] };
      history: object[];
    };
    expect(config).toMatchObject({ os: 'linux', architecture: 'amd64', rootfs: { type: 'layers' } });
    expect(config.rootfs.diff_ids).toEqual(blobs.slice(0, -1).map((layer) => sha256Digest(gunzipSync(layer))));
    expect(config.history).toHaveLength(config.rootfs.diff_ids.length);
  });

  it('is made of the same bytes each time', () => {
    expect(encodeImage(make('oci')).digest).toBe(encodeImage(make('oci')).digest);
  });
});

describe('base images', () => {
  it('say who builds and what they are', async () => {
    const { config, layers } = sampleBuildImage();
    expect(config.Env).toEqual(
      expect.arrayContaining([
        'CNB_USER_ID=1001',
        'CNB_GROUP_ID=1000',
        `CNB_STACK_ID=${sampleStackId}`,
        expect.stringMatching(/^PATH=/),
      ]),
    );
    expect(config.User).toBe('1001:1000');
    expect(config.Labels).toMatchObject({
      'io.buildpacks.stack.id': sampleStackId,
      'io.buildpacks.base.distro.name': 'debian',
      'io.buildpacks.base.distro.version': '12',
    });
    const files = await readTar(layers[0] ?? Buffer.alloc(0));
    expect(files.find(({ name }) => name === 'etc/passwd')?.content).toMatch(/^build:x:1001:1000:/m);
    expect(files.find(({ name }) => name === 'tmp')?.mode).toBe(0o1777);
  });

  it('fit together: one stack, other users, mixins that each may have', () => {
    const [build, run] = [sampleBuildImage(), sampleRunImage()];
    expect(run.config.Labels['io.buildpacks.stack.id']).toBe(sampleStackId);
    expect(run.config.User).not.toBe(build.config.User);
    expect(label(build, 'io.buildpacks.stack.mixins')).toEqual(['shared-mixin', 'build:compiler']);
    expect(label(run, 'io.buildpacks.stack.mixins')).toEqual(['shared-mixin', 'run:runtime']);
  });

  it('change with their revision and with their root file system', () => {
    const digests = [{}, { revision: 2 }, { rootfs: Buffer.alloc(1024) }].map(
      (options) => encodeImage(sampleRunImage(options)).digest,
    );
    expect(new Set(digests).size).toBe(3);
  });
});

describe('lifecycle', () => {
  it('has all of /cnb in its topmost layer', async () => {
    const { layers } = sampleLifecycleImage({ programs: { lifecycle: 'L', launcher: 'l' } });
    expect(layers).toHaveLength(2);
    const files = await readTar(layers[1] ?? Buffer.alloc(0));
    expect(files.slice(0, 5).map(({ name }) => name)).toEqual([
      ...['/cnb', '/cnb/lifecycle.toml', '/cnb/lifecycle', '/cnb/lifecycle/launcher', '/cnb/lifecycle/lifecycle'],
    ]);
    expect(files[4]).toMatchObject({ content: 'L', mode: 0o755, owner: '0:0' });
    for (const phase of ['analyzer', 'detector', 'restorer', 'builder', 'exporter', 'creator']) {
      expect(files.find(({ name }) => name === `/cnb/lifecycle/${phase}`)).toMatchObject({
        type: 'symlink',
        linkTo: 'lifecycle',
      });
    }
  });

  it('carries the labels that lifecycle images carry, ascending as numbers', () => {
    const image = sampleLifecycleImage();
    const upTo = (last: number) => Array.from({ length: last - 6 }, (_, index) => `0.${index + 7}`);
    expect(image.config.Labels['io.buildpacks.lifecycle.version']).toBe(sampleLifecycleVersion);
    expect(label(image, 'io.buildpacks.builder.metadata')).toEqual({
      lifecycle: { version: sampleLifecycleVersion },
      api: { buildpack: '0.7', platform: '0.7' },
    });
    expect(label(image, 'io.buildpacks.lifecycle.apis')).toEqual({
      buildpack: { deprecated: [], supported: upTo(12) },
      platform: { deprecated: [], supported: upTo(15) },
    });
  });
});

describe('buildpackages', () => {
  it('have a layer for each buildpack, in the layout of buildpack tools', async () => {
    const files = await readTar(world.layers[0] ?? Buffer.alloc(0));
    expect(files.map(({ name, type, mode }) => [name, type, mode.toString(8)])).toEqual([
      ['/cnb/buildpacks/sample_hello-world', 'directory', '755'],
      ['/cnb/buildpacks/sample_hello-world/0.0.1', 'directory', '755'],
      ['/cnb/buildpacks/sample_hello-world/0.0.1/buildpack.toml', 'file', '644'],
      ['/cnb/buildpacks/sample_hello-world/0.0.1/bin', 'directory', '755'],
      ['/cnb/buildpacks/sample_hello-world/0.0.1/bin/build', 'file', '755'],
      ['/cnb/buildpacks/sample_hello-world/0.0.1/bin/detect', 'file', '755'],
    ]);
  });

  it('describe themselves', () => {
    expect(label(moon, 'io.buildpacks.buildpackage.metadata')).toMatchObject({
      id: 'sample/hello-moon',
      version: '0.0.1',
      stacks: [{ id: '*' }],
    });
    expect(label(world, 'io.buildpacks.buildpack.layers')).toMatchObject({
      'sample/hello-world': {
        '0.0.1': { api: '0.10', stacks: [{ id: '*' }], layerDiffID: sha256Digest(world.layers[0] ?? Buffer.alloc(0)) },
      },
    });
    const moonInfo = (label(moon, 'io.buildpacks.buildpack.layers') as Record<string, Record<string, object>>)[
      'sample/hello-moon'
    ];
    expect(moonInfo?.['0.0.1']).toMatchObject({
      api: '0.11',
      targets: [
        { os: 'linux', arch: 'amd64' },
        { os: 'linux', arch: 'arm64' },
      ],
    });
    expect(moonInfo?.['0.0.1']).not.toHaveProperty('stacks');
  });

  it('bring along all that a composite orders, by version and by layer', () => {
    const layers = label(universe, 'io.buildpacks.buildpack.layers') as Record<
      string,
      Record<
        string,
        {
          layerDiffID: string;
          order?: { group: { id: string; version: string }[] }[];
          stacks?: unknown;
          targets?: unknown;
        }
      >
    >;
    const composite = layers['sample/hello-universe']?.['0.0.1'];
    const ordered = composite?.order?.flatMap(({ group }) => group) ?? [];
    expect(ordered.map(({ id, version }) => `${id}@${version}`)).toEqual([
      'sample/hello-world@0.0.1',
      'sample/hello-moon@0.0.1',
    ]);
    for (const { id, version } of ordered) expect(layers[id]?.[version]).toBeDefined();
    expect([composite?.stacks, composite?.targets]).toEqual([undefined, undefined]);
    const diffIds = Object.values(layers).flatMap((versions) =>
      Object.values(versions).map(({ layerDiffID }) => layerDiffID),
    );
    expect(diffIds).toEqual(universe.layers.map(sha256Digest));
  });

  it('write a buildpack.toml with everything in it', async () => {
    const image = sampleBuildpackage({
      ...helloWorld(),
      stacks: [{ id: 's', mixins: ['m'] }],
      targets: [{ os: 'linux', distros: [{ name: 'ubuntu', version: '24.04' }] }],
    });
    const toml = (await readTar(image.layers[0] ?? Buffer.alloc(0))).find(({ name }) =>
      name.endsWith('.toml'),
    )?.content;
    expect(toml).toBe(`api = "0.10"

[buildpack]
id = "sample/hello-world"
version = "0.0.1"
name = "Hello World"
homepage = "https://buildpacks.io/docs/"

[[stacks]]
id = "s"
mixins = ["m"]

[[targets]]
os = "linux"

[[targets.distros]]
name = "ubuntu"
version = "24.04"
`);
    const composite = (await readTar(universe.layers[2] ?? Buffer.alloc(0))).find(({ name }) =>
      name.endsWith('.toml'),
    )?.content;
    expect(composite).toMatch(
      /\n\[\[order\]\]\n\n\[\[order\.group\]\]\nid = "sample\/hello-world"\nversion = "0\.0\.1"\n/,
    );
  });

  it('build: the script writes the process it promises', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sample-buildpack-'));
    const build = (await readTar(world.layers[0] ?? Buffer.alloc(0))).find(({ name }) => name.endsWith('bin/build'));
    writeFileSync(join(folder, 'build'), build?.content ?? '', { mode: 0o755 });
    const env = { PATH: '/usr/bin:/bin', CNB_LAYERS_DIR: folder };
    expect(execFileSync(join(folder, 'build'), { env, encoding: 'utf8' })).toBe('---> hello-world\n');
    expect(readFileSync(join(folder, 'launch.toml'), 'utf8')).toMatch(
      /type = "hello-world"\ncommand = \["echo", "hello-world"\]\n/,
    );
    rmSync(folder, { recursive: true });
  });
});
