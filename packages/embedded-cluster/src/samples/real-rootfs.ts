import { existsSync, readFileSync } from 'node:fs';
import { rootfsEntries } from './base-images.ts';
import { createTar, type TarEntry } from './tar-archive.ts';

const applets = [
  ...[
    'basename',
    'cat',
    'chmod',
    'cp',
    'cut',
    'date',
    'dirname',
    'echo',
    'env',
    'find',
    'grep',
    'head',
    'id',
    'ln',
    'ls',
    'mkdir',
  ],
  ...['mktemp', 'mv', 'rm', 'sed', 'sh', 'sleep', 'sort', 'tail', 'tar', 'touch', 'tr', 'uname', 'wc', 'xargs'],
];

/**
 * A root file system that scripts can run in, made of the statically linked programs of Debian's busybox-static and bash-static;
 * undefined where they are not installed.
 */
export function realRootfs(paths: { readonly busybox?: string; readonly bash?: string } = {}): Buffer | undefined {
  const { busybox = '/bin/busybox', bash = '/bin/bash-static' } = paths;
  if (!existsSync(busybox) || !existsSync(bash)) return undefined;
  const entries: TarEntry[] = [
    ...rootfsEntries,
    { name: 'bin' },
    { name: 'bin/bash', content: readFileSync(bash), mode: 0o755 },
    { name: 'bin/busybox', content: readFileSync(busybox), mode: 0o755 },
    ...applets.map((applet) => ({ name: `bin/${applet}`, linkTo: 'busybox' })),
    { name: 'usr' },
    { name: 'usr/bin' },
    { name: 'usr/bin/env', linkTo: '../../bin/busybox' },
  ];
  return createTar(entries);
}
