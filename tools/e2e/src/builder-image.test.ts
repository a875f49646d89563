import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasTool } from './testing/tools.ts';
import { createWorld, type World } from './world.ts';

/** Not the synchronous form: the proxy that these programs speak to runs in this very process. */
const run = promisify(execFile);
const hasAllTools = ['docker-registry', 'skopeo', 'umoci'].every(hasTool);

interface InspectedManifest {
  readonly mediaType: string;
  readonly config: { readonly mediaType: string };
  readonly layers: readonly { readonly mediaType: string }[];
}

interface InspectedConfig {
  readonly created: string;
  readonly config: { readonly WorkingDir: string; readonly Labels: Readonly<Record<string, string>> };
  readonly history: readonly { readonly created: string }[];
}

describe.skipIf(!hasAllTools).each([
  { family: 'docker' as const, ours: 'vnd.docker.', theirs: 'vnd.oci.' },
  { family: 'oci' as const, ours: 'vnd.oci.', theirs: 'vnd.docker.' },
])('a builder image on a real base of the $family family, in docker-registry', ({ family, ours, theirs }) => {
  let world: World;
  let image: string;
  beforeAll(async () => {
    world = await createWorld({ backend: { kind: 'docker-registry', family } });
    await world.applySamples();
    await world.untilSettled(30_000);
    // skopeo takes a tag or a digest, not both.
    const { latestImage } = await world.state('Builder/sample-builder');
    image = latestImage.replace(/:[^:/@]+@/, '@');
  });
  afterAll(() => world.close());

  const skopeo = async (...args: string[]) => (await run('skopeo', args)).stdout;
  const inspect = async (...flags: string[]): Promise<unknown> =>
    JSON.parse(await skopeo('inspect', '--tls-verify=false', ...flags, `docker://${image}`));

  it('is accepted by skopeo inspect', async () => {
    expect(await inspect()).toMatchObject({ Os: 'linux', Architecture: 'amd64' });
  });

  it('has media types of one family', async () => {
    const manifest = (await inspect('--raw')) as InspectedManifest;
    const types = [manifest.mediaType, manifest.config.mediaType, ...manifest.layers.map((layer) => layer.mediaType)];
    for (const type of types) {
      expect(type).toContain(ours);
      expect(type).not.toContain(theirs);
    }
  });

  it('carries the labels that every consumer reads, and the working directory', async () => {
    const { config, created, history } = (await inspect('--config')) as InspectedConfig;
    const labels = config.Labels;
    expect(config.WorkingDir).toBe('/layers');
    expect(created).toBe('1980-01-01T00:00:01Z');
    expect(history.every((one) => one.created === '1980-01-01T00:00:01Z')).toBe(true);
    expect(JSON.parse(labels['io.buildpacks.buildpack.order'] ?? '')).toEqual([
      { group: [{ id: 'sample/hello-universe', version: '0.0.1' }] },
    ]);
    expect(Object.keys(JSON.parse(labels['io.buildpacks.buildpack.layers'] ?? '') as object).sort()).toEqual([
      'sample/hello-moon',
      'sample/hello-universe',
      'sample/hello-world',
    ]);
    expect(labels['io.buildpacks.stack.id']).toBe(world.cluster.samples.stackId);
    const metadata = JSON.parse(labels['io.buildpacks.builder.metadata'] ?? '') as {
      stack: { runImage: { image: string } };
      images: readonly { image: string }[];
      lifecycle: { version: string; apis: { platform: { supported: readonly string[] } } };
    };
    expect(metadata.stack.runImage.image).toMatch(/sample-builder:1-run-image@sha256:[0-9a-f]{64}$/);
    expect(metadata.images[0]?.image).toMatch(/sample-builder:1-run-image$/);
    expect(metadata.lifecycle.apis.platform.supported).toContain('0.12');
    expect(labels['io.buildpacks.lifecycle.version']).toBe(metadata.lifecycle.version);
  });

  it.skipIf(process.getuid?.() !== 0)('is copied by skopeo and unpacked by umoci to the golden tree', async () => {
    const layout = join(world.folder, `layout-${family}`);
    const bundle = join(world.folder, `bundle-${family}`);
    await skopeo('copy', '--src-tls-verify=false', `docker://${image}`, `oci:${layout}:builder`);
    await run('umoci', ['unpack', '--image', `${layout}:builder`, bundle]);
    const tree = ['/cnb', '/layers', '/lifecycle', '/platform', '/workspace'].flatMap((path) =>
      listing(join(bundle, 'rootfs'), path, world.registry),
    );
    await expect(`${tree.join('\n')}\n`).toMatchFileSnapshot('golden/builder-tree.txt');
  });

  it('has its run image beside it, and both under a tag that never moves', async () => {
    const repository = image.split('@')[0] ?? '';
    const listed = JSON.parse(await skopeo('list-tags', '--tls-verify=false', `docker://${repository}`)) as {
      Tags: string[];
    };
    expect(listed.Tags.filter((tag) => !tag.startsWith('build-')).sort()).toEqual(['1', '1-run-image']);
    expect(listed.Tags.filter((tag) => /^build-[0-9a-f]{12}$/.test(tag))).toHaveLength(2);
  });
});

/** One line for each entry of a tree: kind, mode, owner, time, path, and what it holds. */
function listing(rootfs: string, path: string, registry: string): string[] {
  const full = join(rootfs, path);
  const stats = lstatSync(full);
  const mode = (stats.mode & 0o7777).toString(8).padStart(4, '0');
  const time = stats.mtime.toISOString().replace('.000Z', 'Z');
  const line = `${kindOf(stats)} ${mode} ${stats.uid}:${stats.gid} ${time} ${path}${contentOf(full, stats, registry)}`;
  if (!stats.isDirectory()) return [line];
  const children = readdirSync(full).sort();
  return [line, ...children.flatMap((child) => listing(rootfs, join(path, child), registry))];
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return 'd';
  return stats.isSymbolicLink() ? 'l' : 'f';
}

/** The target of a link, the text of a TOML file that we write, the digest of any other file. */
function contentOf(path: string, stats: Stats, registry: string): string {
  if (stats.isDirectory()) return '';
  if (stats.isSymbolicLink()) return ` -> ${readlinkSync(path)}`;
  const content = readFileSync(path);
  if (!/\/cnb\/(order|stack|run)\.toml$/.test(path))
    return ` sha256:${createHash('sha256').update(content).digest('hex')}`;
  const text = content
    .toString()
    .replaceAll(registry, 'REGISTRY')
    .replace(/sha256:[0-9a-f]{64}/g, 'sha256:DIGEST');
  return `\n${text.replace(/^/gm, '    ').trimEnd()}`;
}
