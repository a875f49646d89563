import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readRepository } from './repository-files.ts';

describe('readRepository', () => {
  let root = '';

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'checks-'));
    for (const folder of ['src', 'node_modules/a', '.ci']) mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(root, 'src/a.ts'), 'text');
    writeFileSync(join(root, '.ci/run.sh'), 'text');
    writeFileSync(join(root, 'src/picture.png'), 'not\0text');
    writeFileSync(join(root, 'node_modules/a/index.js'), 'text');
    writeFileSync(join(root, '.gitignore'), 'node_modules/\n');
  });
  afterEach(() => {
    rmSync(root, { recursive: true });
  });

  const paths = () =>
    readRepository(root)
      .map(({ path }) => path)
      .sort();

  it('reads the text files of an unpacked archive, without what is installed', () => {
    expect(paths()).toEqual(['.ci/run.sh', '.gitignore', 'src/a.ts']);
  });

  it('reads what git has or would take, and skips a file that is deleted but not committed', () => {
    spawnSync('git', ['init', '-q'], { cwd: root });
    writeFileSync(join(root, 'gone.ts'), 'text');
    spawnSync('git', ['add', '.'], { cwd: root });
    rmSync(join(root, 'gone.ts'));
    expect(paths()).toEqual(['.ci/run.sh', '.gitignore', 'src/a.ts']);
  });
});
