import { resolve } from 'node:path';
import { machinePaths } from './absolute-paths.ts';
import { docCoverage, minDocShare } from './doc-comments.ts';
import { silentCatches } from './empty-catch.ts';
import { lockAddresses } from './lock-file.ts';
import { missingReadmes } from './readmes.ts';
import { readRepository } from './repository-files.ts';

const root = resolve(import.meta.dirname, '../../..');
const files = readRepository(root);
const print = (line: string) => {
  console.log(line);
};

const { exported, undocumented } = docCoverage(files);
const share = exported === 0 ? 1 : 1 - undocumented.length / exported;
for (const name of undocumented) print(`${name} is exported and has no doc comment`);
print(`doc comments: ${(share * 100).toFixed(1)} % of ${String(exported)} exported names`);

const problems = [
  ...(share < minDocShare ? [`doc comments: fewer than ${String(minDocShare * 100)} % of the exported names`] : []),
  ...files.filter(({ path }) => path === 'package-lock.json').flatMap(({ text }) => lockAddresses(text)),
  ...machinePaths(files, root),
  ...silentCatches(files),
  ...missingReadmes(files),
];
for (const problem of problems) print(problem);
print(`checks: ${String(problems.length)} problems`);
if (problems.length > 0) process.exitCode = 1;
