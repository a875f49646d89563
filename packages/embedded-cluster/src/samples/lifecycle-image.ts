import { type ImageFamily, type SampleImage } from './sample-image.ts';
import { createTar, type TarEntry } from './tar-archive.ts';

/** Version that the sample lifecycle claims. */
export const sampleLifecycleVersion = '0.21.17';

const apis = {
  buildpack: { deprecated: [], supported: ['0.7', '0.8', '0.9', '0.10', '0.11', '0.12'] },
  platform: { deprecated: [], supported: ['0.7', '0.8', '0.9', '0.10', '0.11', '0.12', '0.13', '0.14', '0.15'] },
};
const phases = ['analyzer', 'builder', 'creator', 'detector', 'exporter', 'extender', 'rebaser', 'restorer'];

/** The two programs of a lifecycle. */
export interface LifecyclePrograms {
  readonly lifecycle: string | Uint8Array;
  readonly launcher: string | Uint8Array;
}

const standIn = '#!/bin/sh\necho "sample lifecycle: ${0##*/} $*"\n';

/** A lifecycle image: a base layer, and on top of it all of `/cnb` in one layer. Its programs only print their names, unless given. */
export function sampleLifecycleImage(
  options: { family?: ImageFamily; programs?: LifecyclePrograms } = {},
): SampleImage {
  const { family = 'docker', programs = { lifecycle: standIn, launcher: standIn } } = options;
  return {
    family,
    architecture: 'amd64',
    os: 'linux',
    config: {
      WorkingDir: '/layers',
      Labels: {
        'io.buildpacks.builder.metadata': JSON.stringify({
          lifecycle: { version: sampleLifecycleVersion },
          api: { buildpack: '0.7', platform: '0.7' },
        }),
        'io.buildpacks.lifecycle.apis': JSON.stringify(apis),
        'io.buildpacks.lifecycle.version': sampleLifecycleVersion,
      },
    },
    layers: [
      createTar([{ name: 'etc' }, { name: 'etc/os-release', content: 'ID=sample\n' }]),
      createTar(cnbEntries(programs)),
    ],
  };
}

function cnbEntries({ lifecycle, launcher }: LifecyclePrograms): TarEntry[] {
  return [
    { name: '/cnb' },
    { name: '/cnb/lifecycle.toml', content: lifecycleToml },
    { name: '/cnb/lifecycle' },
    { name: '/cnb/lifecycle/launcher', content: launcher, mode: 0o755 },
    { name: '/cnb/lifecycle/lifecycle', content: lifecycle, mode: 0o755 },
    ...phases.map((phase) => ({ name: `/cnb/lifecycle/${phase}`, linkTo: 'lifecycle' })),
  ];
}

const lifecycleToml = `[api]
  platform = "0.7"
  buildpack = "0.7"

[apis]
[apis.buildpack]
  deprecated = []
  supported = ${JSON.stringify(apis.buildpack.supported)}
[apis.platform]
  deprecated = []
  supported = ${JSON.stringify(apis.platform.supported)}

[lifecycle]
  version = "${sampleLifecycleVersion}"
`;
