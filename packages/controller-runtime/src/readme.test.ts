import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { flags, type Flag } from './flags.ts';
import { readCommand } from './settings.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

it('README lists every flag with its default and its meaning, and no other', () => {
  const rows = [...readme.matchAll(/^\| `--([a-z-]+)` *\| *(?:`([^`]*)`)? *\| (.*?) *\|$/gm)];
  const told = rows.map(([, name, given = '', help]) => ({ name, given, help: help?.replaceAll('\\_', '_') }));
  const known = flags.map((flag: Flag) => ({
    name: flag.name,
    given: flag.kind === 'switch' ? '' : flag.default,
    help: flag.help,
  }));
  expect(told).toEqual(known);
});

it('README shows a configuration file that is accepted', () => {
  const text = /```yaml\n([^]*?)```/.exec(readme)?.[1] ?? '';
  const command = readCommand({ argv: ['--config=x'], env: {}, readFile: () => text });
  expect(command).toMatchObject({
    kind: 'run',
    settings: {
      paces: { transient: { maxDelayMs: 120_000 } },
      registry: { overrides: { 'slow.example': { connectTimeoutMs: 20_000, requestAttempts: 5 } } },
    },
  });
});
