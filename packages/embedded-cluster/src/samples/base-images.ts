import { type ImageFamily, type SampleImage } from './sample-image.ts';
import { createTar } from './tar-archive.ts';

/** Stack id of the sample base images. */
export const sampleStackId = 'io.buildkeeper.stacks.sample';

const buildUserId = 1001;
const runUserId = 1002;
const groupId = 1000;

/** How the two base images are made. */
export interface BaseImageOptions {
  /** `docker` when absent. */
  readonly family?: ImageFamily;
  /** Their one layer as a tar archive; a few files that run nothing when absent. */
  readonly rootfs?: Uint8Array;
  /** Another number gives other bytes with the same meaning, as a base image gets by a security update; 1 when absent. */
  readonly revision?: number;
}

/** The image that builds happen in. */
export function sampleBuildImage(options: BaseImageOptions = {}): SampleImage {
  const env = [`CNB_USER_ID=${buildUserId}`, `CNB_GROUP_ID=${groupId}`, `CNB_STACK_ID=${sampleStackId}`];
  return baseImage(options, { userId: buildUserId, env, mixins: ['shared-mixin', 'build:compiler'] });
}

/** The image that apps run in. */
export function sampleRunImage(options: BaseImageOptions = {}): SampleImage {
  return baseImage(options, { userId: runUserId, env: [], mixins: ['shared-mixin', 'run:runtime'] });
}

function baseImage(
  { family = 'docker', rootfs = sampleRootfs, revision = 1 }: BaseImageOptions,
  kind: { userId: number; env: readonly string[]; mixins: readonly string[] },
): SampleImage {
  return {
    family,
    architecture: 'amd64',
    os: 'linux',
    config: {
      Env: ['PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', ...kind.env],
      User: `${kind.userId}:${groupId}`,
      Labels: {
        'io.buildpacks.base.distro.name': 'debian',
        'io.buildpacks.base.distro.version': '12',
        'io.buildpacks.base.released': `revision ${revision}`,
        'io.buildpacks.stack.id': sampleStackId,
        'io.buildpacks.stack.mixins': JSON.stringify(kind.mixins),
      },
    },
    layers: [rootfs],
  };
}

const home = '/home/cnb';

/** Entries that every root file system here begins with: users, groups, what it claims to be, and writable places. */
export const rootfsEntries = [
  { name: 'etc' },
  { name: 'etc/group', content: `root:x:0:\ncnb:x:${groupId}:\n` },
  {
    name: 'etc/passwd',
    content: [
      'root:x:0:0:root:/root:/bin/sh',
      `build:x:${buildUserId}:${groupId}:build:${home}:/bin/sh`,
      `run:x:${runUserId}:${groupId}:run:${home}:/bin/sh`,
      '',
    ].join('\n'),
  },
  { name: 'etc/os-release', content: 'PRETTY_NAME="Sample base"\nID=debian\nVERSION_ID="12"\n' },
  { name: 'home' },
  { name: 'home/cnb', mode: 0o775, uid: buildUserId, gid: groupId },
  { name: 'tmp', mode: 0o1777 },
];

const sampleRootfs = createTar(rootfsEntries);
