import { gunzipSync } from 'node:zlib';
import { anonymousKeychain, type RegistryImage } from '@buildkeeper/registry-client';
import { parse } from 'smol-toml';
import { extract } from 'tar-stream';
import { describe, expect, it } from 'vitest';
import { type Candidate } from './buildpack-source.ts';
import { sha256 } from './digest.ts';
import { BuildpackError } from './errors.ts';
import { mediaTypes, type MediaFamily } from './media-types.ts';
import { planBuilderImage, type BuilderImageInput, type BuilderImagePlan } from './plan-builder-image.ts';

const digestOf = (text: string) => sha256(text);
const repository = { registry: 'reg.example', repository: 'base' };
const pinned = `reg.example/team/b:t-run-image@${digestOf('run')}`;
const floating = 'reg.example/team/b:t-run-image';

interface BaseChanges {
  readonly family?: MediaFamily;
  readonly layerTypes?: readonly string[];
  readonly config?: Partial<RegistryImage['config']>;
  readonly annotations?: Readonly<Record<string, string>>;
}

function baseImage({ family = 'docker', layerTypes, config = {}, annotations }: BaseChanges = {}): RegistryImage {
  const types = mediaTypes[family];
  const layers = (layerTypes ?? [types.layers.gzip!]).map((mediaType, index) => ({
    mediaType,
    digest: digestOf(`base layer ${index}`),
    size: 1000,
  }));
  return {
    repository,
    digest: digestOf('base'),
    mediaType: types.manifest,
    manifest: {
      schemaVersion: 2,
      mediaType: types.manifest,
      config: { mediaType: types.config, digest: digestOf('config'), size: 1 },
      layers,
      ...(annotations !== undefined && { annotations }),
    },
    config: {
      architecture: 'amd64',
      os: 'linux',
      created: '2026-01-01T00:00:00Z',
      'moby.buildkit': { kept: true },
      config: {
        Env: ['PATH=/bin'],
        User: '1000:1000',
        Entrypoint: ['/x'],
        Labels: { 'io.buildpacks.stack.id': 'stack' },
      },
      rootfs: { type: 'layers', diff_ids: layers.map((_layer, index) => digestOf(`base diff ${index}`)) },
      ...config,
    },
    manifestBytes: new Uint8Array(),
    configBytes: new Uint8Array(),
  };
}

function candidate(name: string, size: number, changes: Partial<Candidate['entry']> = {}): Candidate {
  const [id = '', version = ''] = name.split('@');
  const entry = {
    id,
    version,
    api: '0.10',
    size,
    digest: digestOf(`blob ${name}`),
    diffId: digestOf(`diff ${name}`),
    storeImage: { image: `reg.example/${id}:${version}` },
    ...changes,
  };
  const source = { kind: 'ClusterStore' as const, name: 'store', buildpacks: [entry], keychain: anonymousKeychain };
  return { id, version, entry, source };
}

function inputWith(changes: Partial<BuilderImageInput> = {}, base: BaseChanges = {}): BuilderImageInput {
  return {
    base: { text: 'reg.example/base:1', image: baseImage(base), keychain: anonymousKeychain },
    lifecycle: {
      resolved: {
        image: { latestImage: `reg.example/lifecycle@${digestOf('lifecycle')}`, image: 'reg.example/lifecycle:1' },
        version: '0.21.17',
        api: { buildpack: '0.7', platform: '0.7' },
        apis: {
          buildpack: { deprecated: null, supported: ['0.9', '0.10'] },
          platform: { deprecated: null, supported: ['0.9', '0.12'] },
        },
        platform: { os: 'linux', arch: 'amd64', variant: '' },
        layer: { digest: digestOf('lc blob'), diffId: digestOf('lc diff'), sizeBytes: 9, compression: 'gzip' },
      },
      keychain: anonymousKeychain,
    },
    stackId: 'stack',
    user: { userId: 1001, groupId: 1000 },
    runImage: { pinned, floating },
    order: [
      {
        group: [
          { id: 'a', version: '1' },
          { id: 'b', version: '2', optional: true },
        ],
      },
    ],
    buildpacks: [candidate('a@1', 10), candidate('b@2', 30), candidate('c@3', 10)],
    additionalLabels: {},
    ...changes,
  };
}

interface ManifestJson {
  readonly config: { readonly digest: string; readonly mediaType: string };
  readonly layers: readonly {
    readonly mediaType: string;
    readonly digest: string;
    readonly size: number;
    readonly annotations?: object;
  }[];
  readonly annotations?: object;
}

function opened(plan: BuilderImagePlan) {
  const manifest = JSON.parse(Buffer.from(plan.manifest.bytes).toString()) as ManifestJson;
  const bytesOf = (digest: string) => {
    const blob = plan.blobs.find((one) => one.digest === digest);
    return blob?.kind === 'bytes' ? Buffer.from(blob.bytes) : undefined;
  };
  const config = JSON.parse(bytesOf(manifest.config.digest)!.toString()) as RegistryImage['config'];
  return { manifest, config, bytesOf, labels: config.config?.Labels ?? {} };
}

async function filesOf(layer: Buffer) {
  const archive = extract();
  archive.end(gunzipSync(layer));
  const files = new Map<string, string>();
  for await (const entry of archive) {
    const { name, type, uid, gid, mode, linkname } = entry.header;
    let text = '';
    for await (const piece of entry) text += String(piece);
    files.set(
      name,
      text === '' ? `${type} ${mode.toString(8)} ${uid}:${gid} ${type === 'symlink' ? linkname : ''}`.trim() : text,
    );
  }
  return files;
}

describe('the layers', () => {
  it('are base, directories, lifecycle, buildpacks by size, and what tells of them', () => {
    const { manifest, config } = opened(planBuilderImage(inputWith()));
    const known = ['base layer 0', 'lc blob', 'blob a@1', 'blob b@2', 'blob c@3'];
    const names = manifest.layers.map(({ digest }) => known.find((name) => digestOf(name) === digest) ?? 'ours');
    expect(names).toEqual(['base layer 0', 'ours', 'lc blob', 'blob b@2', 'blob c@3', 'blob a@1', 'ours', 'ours']);
    expect(manifest.layers[3]?.size).toBe(30);
    expect(config.rootfs.diff_ids).toHaveLength(manifest.layers.length);
    expect(config.history?.filter((entry) => entry['empty_layer'] !== true)).toHaveLength(manifest.layers.length);
  });

  it('have diffIDs that are those of what is in them', () => {
    const { manifest, config, bytesOf } = opened(planBuilderImage(inputWith()));
    const ours = manifest.layers.flatMap(({ digest }, index) => {
      const bytes = bytesOf(digest);
      return bytes === undefined
        ? []
        : [[sha256(gunzipSync(bytes)), sha256(bytes), config.rootfs.diff_ids[index], digest]];
    });
    expect(ours).toHaveLength(3);
    for (const [diffId, digest, said, saidDigest] of ours) expect([diffId, digest]).toEqual([said, saidDigest]);
  });

  it('hold the directories with their owners, and the link', async () => {
    const { manifest, bytesOf } = opened(planBuilderImage(inputWith()));
    expect([...(await filesOf(bytesOf(manifest.layers[1]!.digest)!))]).toEqual([
      ['/workspace', 'directory 755 1001:1000'],
      ['/layers', 'directory 755 1001:1000'],
      ['/cnb', 'directory 755 0:0'],
      ['/cnb/buildpacks', 'directory 755 0:0'],
      ['/cnb/extensions', 'directory 755 0:0'],
      ['/platform', 'directory 755 0:0'],
      ['/platform/env', 'directory 755 0:0'],
      ['/cnb/build-config', 'directory 755 0:0'],
      ['/cnb/build-config/env', 'directory 755 0:0'],
      ['/lifecycle', 'symlink 644 0:0 /cnb/lifecycle'],
    ]);
  });

  it('hold the order, and the run image pinned for old and floating for new lifecycles', async () => {
    const { manifest, bytesOf } = opened(planBuilderImage(inputWith()));
    const files = new Map([
      ...(await filesOf(bytesOf(manifest.layers[6]!.digest)!)),
      ...(await filesOf(bytesOf(manifest.layers[7]!.digest)!)),
    ]);
    expect([...files].map(([name, text]) => [name, parse(text)])).toEqual([
      ['/cnb/stack.toml', { 'run-image': { image: pinned } }],
      ['/cnb/run.toml', { images: [{ image: floating }] }],
      [
        '/cnb/order.toml',
        {
          order: [
            {
              group: [
                { id: 'a', version: '1' },
                { id: 'b', version: '2', optional: true },
              ],
            },
          ],
        },
      ],
    ]);
  });

  it('are there once, for buildpacks that share one too, and for what the base has', () => {
    const shared = { diffId: digestOf('diff a@1'), digest: digestOf('blob a@1') };
    const inBase = { diffId: digestOf('base diff 0') };
    const buildpacks = [candidate('a@1', 10), candidate('b@2', 10, shared), candidate('c@3', 10, inBase)];
    const plan = planBuilderImage(inputWith({ buildpacks }));
    const { config, labels } = opened(plan);
    expect(new Set(config.rootfs.diff_ids).size).toBe(config.rootfs.diff_ids.length);
    expect(config.rootfs.diff_ids).toHaveLength(1 + 1 + 1 + 1 + 2);
    expect(Object.keys(JSON.parse(labels['io.buildpacks.buildpack.layers']!) as object)).toEqual(['a', 'b', 'c']);
    expect(plan.builderMetadata.map((one) => one.id)).toEqual(['c', 'b', 'a']);
  });

  it('may be repeated in the base, which stays as it is', () => {
    const diff = digestOf('base diff 0');
    const { manifest } = opened(
      planBuilderImage(
        inputWith(
          {},
          {
            layerTypes: Array(2).fill(mediaTypes.docker.layers.gzip!) as string[],
            config: { rootfs: { type: 'layers', diff_ids: [diff, diff] } },
          },
        ),
      ),
    );
    expect(manifest.layers.slice(0, 2).map((layer) => layer.digest)).toEqual(
      ['base layer 0', 'base layer 1'].map(digestOf),
    );
  });

  it.each([
    { buildpackCount: 122, isPossible: true },
    { buildpackCount: 123, isPossible: false },
  ])('are at most 127: $buildpackCount buildpacks are possible: $isPossible', ({ buildpackCount, isPossible }) => {
    const buildpacks = Array.from({ length: buildpackCount }, (_, index) => candidate(`b${index}@1`, 1));
    const plan = () => planBuilderImage(inputWith({ buildpacks }));
    if (isPossible) expect(plan().layerCount).toBe(127);
    else expect(plan).toThrow('the builder would have 128 layers; 127 are possible');
  });
});

describe('the media types', () => {
  const docker = mediaTypes.docker.layers;
  const oci = mediaTypes.oci.layers;

  it.each<{ family: MediaFamily; layerTypes: string[] }>([
    { family: 'docker', layerTypes: [docker.gzip!, docker.none!] },
    { family: 'docker', layerTypes: [oci.gzip!, oci.none!] },
    { family: 'oci', layerTypes: [oci.gzip!, oci.none!] },
    { family: 'oci', layerTypes: [docker.gzip!, docker.none!] },
  ])('are all of $family for a base of it with layers of $layerTypes', ({ family, layerTypes }) => {
    const plan = planBuilderImage(inputWith({}, { family, layerTypes }));
    const { manifest } = opened(plan);
    const own = mediaTypes[family];
    expect([plan.manifest.mediaType, manifest.config.mediaType]).toEqual([own.manifest, own.config]);
    const used = manifest.layers.map((layer) => layer.mediaType);
    expect(used).toEqual([own.layers.gzip, own.layers.none, ...manifest.layers.slice(2).map(() => own.layers.gzip)]);
  });

  it('say of an uncompressed buildpack that it is', () => {
    const plain = candidate('a@1', 10, { digest: digestOf('diff a@1') });
    const { manifest } = opened(planBuilderImage(inputWith({ buildpacks: [plain] })));
    expect(manifest.layers[3]?.mediaType).toBe(docker.none);
  });

  it('keep zstd where there is a word for it, and refuse it where there is none', () => {
    expect(
      opened(planBuilderImage(inputWith({}, { family: 'oci', layerTypes: [oci.zstd!] }))).manifest.layers[0]?.mediaType,
    ).toBe(oci.zstd);
    expect(() => planBuilderImage(inputWith({}, { family: 'docker', layerTypes: [oci.zstd!] }))).toThrow(
      'no word for the zstd of: base',
    );
  });

  it.each(['application/vnd.docker.image.rootfs.foreign.diff.tar.gzip', 'application/json'])(
    'refuse layers of %s',
    (type) => {
      expect(() => planBuilderImage(inputWith({}, { layerTypes: [type] }))).toThrow(
        `a layer has the media type ${type}`,
      );
    },
  );

  it('keep annotations of an OCI base, and let none into a manifest of Docker', () => {
    const annotations = { made: 'by hand' };
    expect(opened(planBuilderImage(inputWith({}, { family: 'oci', annotations }))).manifest.annotations).toEqual(
      annotations,
    );
    expect(
      opened(planBuilderImage(inputWith({}, { family: 'docker', annotations }))).manifest.annotations,
    ).toBeUndefined();
  });
});

describe('what cannot be planned', () => {
  it.each<{ what: string; input: BuilderImageInput; says: string }>([
    {
      what: 'a lifecycle for another platform',
      input: inputWith({}, { config: { architecture: 'arm64' } }),
      says: 'it is for linux/amd64, and build image reg.example/base:1 for linux/arm64',
    },
    {
      what: 'a buildpack without a layer',
      input: inputWith({
        buildpacks: [{ ...candidate('a@1', 1), entry: { id: 'a', storeImage: { image: 'reg.example/a' } } }],
      }),
      says: 'says nothing of a layer',
    },
    {
      what: 'a base whose config has another number of layers',
      input: inputWith({}, { config: { rootfs: { type: 'layers', diff_ids: [] } } }),
      says: 'its manifest has 1 layers and its config 0',
    },
  ])('is $what', ({ input, says }) => {
    expect(() => planBuilderImage(input)).toThrow(BuildpackError);
    expect(() => planBuilderImage(input)).toThrow(says);
  });

  it('is no reason to refuse a base that does not say its architecture', () => {
    expect(() => planBuilderImage(inputWith({}, { config: { architecture: '' } }))).not.toThrow();
  });
});

describe('a plan', () => {
  it('is the same fifty times', () => {
    const digests = Array.from({ length: 50 }, () => planBuilderImage(inputWith()).manifest.digest);
    expect(new Set(digests).size).toBe(1);
    const shuffled = inputWith();
    expect(planBuilderImage({ ...shuffled, buildpacks: [...shuffled.buildpacks].reverse() }).manifest.digest).toBe(
      digests[0],
    );
  });

  it('keeps its digest from release to release, as long as the layout version is the same', () => {
    expect(planBuilderImage(inputWith()).manifest.digest).toMatchInlineSnapshot(
      `"sha256:62164b9ca23bd757ed5f9583e7578d4a1e020dd09c20f7991311c08addfd167c"`,
    );
  });
});
