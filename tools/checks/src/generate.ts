import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { generateCrds } from '@buildkeeper/kpack-api';
import { referenceFolder, referencePages } from './reference-pages.ts';

const root = resolve(import.meta.dirname, '../../..');

/** Writes a folder from nothing, so that the file of what is gone goes too. */
const writeFolder = (folder: string, files: ReadonlyMap<string, string>) => {
  const path = join(root, folder);
  mkdirSync(path, { recursive: true });
  for (const name of readdirSync(path)) if (!files.has(name)) rmSync(join(path, name));
  for (const [name, text] of files) writeFileSync(join(path, name), text);
  console.log(`${folder}: ${String(files.size)} files`);
};

writeFolder('deploy/crds', generateCrds());
writeFolder(referenceFolder, await referencePages());
