import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type SourceText } from './source-text.ts';

const notSource = new Set(['node_modules', 'dist', 'out-tsc', 'coverage', '.git', '.nx', '.cache']);

const walk = (root: string, folder: string): readonly string[] =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    if (notSource.has(entry.name)) return [];
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    return entry.isDirectory() ? walk(root, path) : [path];
  });

/** What git has or would take; without git (an unpacked archive), everything but what is built or installed. */
const listPaths = (root: string): readonly string[] => {
  const git = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (git.status === 0) return git.stdout.split('\0').filter((path) => path !== '');
  return walk(root, '');
};

/** Every text file of the repository. */
export const readRepository = (root: string): readonly SourceText[] =>
  [...new Set(listPaths(root))]
    .filter((path) => existsSync(join(root, path)) && statSync(join(root, path)).isFile())
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
    .filter(({ text }) => !text.includes('\0'));
