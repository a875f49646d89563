import { sha256Digest } from '../registry/registry-store.ts';
import { type ImageFamily, type SampleImage } from './sample-image.ts';
import { createTar, type TarEntry } from './tar-archive.ts';

/** A buildpack that others are made of, or that is made of others when it has an order. */
export interface SampleBuildpack {
  readonly id: string;
  readonly version: string;
  /** Buildpack API, `0.10` when absent. */
  readonly api?: string;
  readonly name?: string;
  readonly homepage?: string;
  readonly stacks?: readonly { readonly id: string; readonly mixins?: readonly string[] }[];
  readonly targets?: readonly {
    readonly os: string;
    readonly arch?: string;
    readonly distros?: readonly { readonly name: string; readonly version: string }[];
  }[];
  /** Makes it a composite: no scripts, only this order. */
  readonly order?: readonly {
    readonly group: readonly { readonly id: string; readonly version?: string; readonly optional?: boolean }[];
  }[];
}

const everyStack = [{ id: '*' }];
const linux = [
  { os: 'linux', arch: 'amd64' },
  { os: 'linux', arch: 'arm64' },
];
const homepage = 'https://buildpacks.io/docs/';

/** `sample/hello-world`, for every stack and target. */
export function helloWorld(version = '0.0.1'): SampleBuildpack {
  return {
    id: 'sample/hello-world',
    version,
    api: '0.10',
    name: 'Hello World',
    homepage,
    stacks: everyStack,
    targets: linux,
  };
}

/** `sample/hello-moon`, newer: it has targets only. */
export const helloMoon: SampleBuildpack = {
  id: 'sample/hello-moon',
  version: '0.0.1',
  api: '0.11',
  name: 'Hello Moon',
  homepage,
  targets: linux,
};

/** `sample/hello-universe`: first the world, then the moon. */
export const helloUniverse: SampleBuildpack = {
  id: 'sample/hello-universe',
  version: '0.0.1',
  api: '0.10',
  name: 'Hello Universe',
  homepage,
  order: [
    {
      group: [
        { id: 'sample/hello-world', version: '0.0.1' },
        { id: 'sample/hello-moon', version: '0.0.1' },
      ],
    },
  ],
};

/** A buildpackage of the main buildpack and of those it is made of, one layer for each. */
export function sampleBuildpackage(
  main: SampleBuildpack,
  parts: readonly SampleBuildpack[] = [],
  family: ImageFamily = 'docker',
): SampleImage {
  const contents = [...parts, main].map((buildpack) => ({ buildpack, tar: createTar(buildpackEntries(buildpack)) }));
  const layers: Record<string, Record<string, object>> = {};
  for (const { buildpack, tar } of contents) {
    (layers[buildpack.id] ??= {})[buildpack.version] = layerInfo(buildpack, tar);
  }
  const { id, version, name } = main;
  return {
    family,
    architecture: 'amd64',
    os: 'linux',
    config: {
      Labels: {
        'io.buildpacks.buildpack.layers': JSON.stringify(layers),
        'io.buildpacks.buildpackage.metadata': JSON.stringify({
          id,
          version,
          name,
          homepage: main.homepage,
          stacks: everyStack,
        }),
      },
    },
    layers: contents.map(({ tar }) => tar),
  };
}

function layerInfo(
  { api = '0.10', stacks, targets, order, name, homepage: page }: SampleBuildpack,
  tar: Uint8Array,
): object {
  return { api, stacks, targets, order, layerDiffID: sha256Digest(tar), homepage: page, name };
}

function buildpackEntries(buildpack: SampleBuildpack): TarEntry[] {
  const idFolder = `/cnb/buildpacks/${buildpack.id.replaceAll('/', '_')}`;
  const folder = `${idFolder}/${buildpack.version}`;
  const files: TarEntry[] = [{ name: `${folder}/buildpack.toml`, content: buildpackToml(buildpack) }];
  if (buildpack.order === undefined) {
    const greeting = buildpack.id.replace(/^.*\//, '');
    files.push(
      { name: `${folder}/bin` },
      { name: `${folder}/bin/build`, content: buildScript(greeting), mode: 0o755 },
      { name: `${folder}/bin/detect`, content: '#!/bin/sh\nexit 0\n', mode: 0o755 },
    );
  }
  return [{ name: idFolder }, { name: folder }, ...files];
}

function buildScript(greeting: string): string {
  return `#!/bin/sh
set -eu
echo "---> ${greeting}"
cat > "$CNB_LAYERS_DIR/launch.toml" <<END
[[processes]]
type = "${greeting}"
command = ["echo", "${greeting}"]
default = true
END
`;
}

function buildpackToml(buildpack: SampleBuildpack): string {
  const { api = '0.10', id, version, name, homepage: page, stacks = [], targets = [], order = [] } = buildpack;
  const table = (title: string, values: object): string =>
    [`\n[[${title}]]`, ...Object.entries(values).map(([key, value]) => `${key} = ${JSON.stringify(value)}`), ''].join(
      '\n',
    );
  return [
    `api = "${api}"\n\n[buildpack]\nid = "${id}"\nversion = "${version}"\n`,
    name === undefined ? '' : `name = ${JSON.stringify(name)}\n`,
    page === undefined ? '' : `homepage = ${JSON.stringify(page)}\n`,
    ...stacks.map((stack) => table('stacks', stack)),
    ...targets.map(({ distros = [], ...target }) =>
      [table('targets', target), ...distros.map((distro) => table('targets.distros', distro))].join(''),
    ),
    ...order.map(({ group }) => `\n[[order]]\n${group.map((entry) => table('order.group', entry)).join('')}`),
  ].join('');
}
