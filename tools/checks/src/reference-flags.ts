import { environmentName, flags, type Flag } from '@buildkeeper/controller-runtime';
import { markdownTable } from './markdown-table.ts';

/** A configuration file that uses each kind of setting; the page shows it. */
export const configExample = `retry-max: 2m
workers: 20
plain-http-registry: [registry.test:5000]
registries:
  slow.example: { connect-timeout: 20s, headers-timeout: 1m, body-timeout: 1m }
`;

const lead = `# Flags

Generated from the flag table of \`packages/controller-runtime\`; \`npm run generate\` writes it anew. The four controllers
have the same flags.

A flag goes before its variable in the environment, and that before the file of \`--config\`. Of a flag that is given
twice the last one counts, unless it is repeatable; a variable takes several hosts with commas between them. Durations are
written as Kubernetes writes them: \`500ms\`, \`1m30s\`, \`1.5h\`. Everything that is wrong with a configuration is printed at
once, and the exit code is 2. \`--print-config\` shows what holds.`;

const tail = `
\`--retry-factor\` holds for every pace that grows. The delay before an attempt is drawn between half of what the pace says
and all of it. \`--invalid-recheck\` moves by half either way, \`--refresh-interval\` by a tenth.

\`--controllers\` chooses among the controllers of one program; each of the four programs has one, its own name.

A variable whose name is no flag's is not noticed: look at \`--print-config\`.

## The file of \`--config\`

YAML: names of flags with their values (all but \`config\`, \`print-config\` and \`help\`), and under \`registries\` what holds for
one host, or one host and port, alone.

\`\`\`yaml
${configExample}\`\`\`
`;

const units = [
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
] as const;

const durationText = (ms: number): string => {
  const [unit, size] = units.find(([, one]) => ms >= one && ms % one === 0) ?? ['ms', 1];
  return `${String(ms / size)}${unit}`;
};

const rangeText = ({ kind, range, choices, value }: Flag): string => {
  if (choices !== undefined) return choices.join(', ');
  if (range !== undefined) return range.map(kind === 'duration' ? durationText : String).join(' to ');
  if (kind === 'boolean') return 'true, false';
  return kind === 'switch' ? '' : (value ?? '');
};

const code = (text: string): string => (text === '' ? '' : `\`${text}\``);

const rowOf = (flag: Flag): readonly string[] => [
  code(`--${flag.name}`),
  flag.kind === 'switch' ? '' : code(environmentName(flag.name)),
  flag.kind === 'switch' ? '' : code(flag.default),
  rangeText(flag),
  flag.help,
];

/** The page about the flags of a controller. */
export const flagsPage = (): string => {
  const head = ['Flag', 'In the environment', 'Default', 'Permitted', 'What it is'];
  return `${lead}\n\n${markdownTable(head, flags.map(rowOf))}\n${tail}`;
};
