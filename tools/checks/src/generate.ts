import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { generateCrds } from '@buildkeeper/kpack-api';

const folder = resolve(import.meta.dirname, '../../../deploy/crds');
const files = generateCrds();

mkdirSync(folder, { recursive: true });
// From nothing, so that the file of a removed kind goes too.
for (const name of readdirSync(folder)) if (!files.has(name)) rmSync(join(folder, name));
for (const [name, text] of files) writeFileSync(join(folder, name), text);
console.log(`deploy/crds: ${String(files.size)} files`);
