import { parseDurationMs, formatDuration } from './durations.ts';
import { environmentName, flags, type Flag, type FlagValues } from './flags.ts';

/** Where the texts of the flags come from, the first first. */
export interface FlagSources {
  /** Arguments after the program's name. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Settings of the configuration file by flag name. */
  readonly file: Readonly<Record<string, unknown>>;
}

/** The values, and every fault found on the way to them. */
export interface ReadFlags {
  readonly values: FlagValues;
  readonly problems: readonly string[];
}

/** Reads every flag from the first source that has it. Never throws: the faults are listed, so that all are seen at once. */
export function readFlags(sources: FlagSources): ReadFlags {
  const problems: string[] = [];
  const given = argumentTexts(sources.argv, problems);
  checkFileNames(sources.file, problems);
  const values = flags.map((flag: Flag) => {
    const { texts, source } = textsOf(flag, given, sources);
    const parsed = parseValue(flag, texts);
    if ('problem' in parsed) problems.push(`${source}: ${parsed.problem}`);
    return [flag.name, 'problem' in parsed ? parsedDefault(flag) : parsed.value];
  });
  return { values: Object.fromEntries(values) as FlagValues, problems };
}

/** The texts that were given to each flag on the command line. */
export function argumentTexts(argv: readonly string[], problems: string[]): ReadonlyMap<string, readonly string[]> {
  const given = new Map<string, string[]>();
  for (let at = 0; at < argv.length; at += 1) {
    const [, name, inline] = /^--([a-z-]+)(?:=([^]*))?$/.exec(argv[at] ?? '') ?? [];
    const flag = flags.find((one: Flag) => one.name === name);
    if (name === undefined || flag === undefined) {
      // Without what follows it, which may be a secret.
      problems.push(`${argv[at]?.replace(/=[^]*/, '') ?? ''}: there is no such flag`);
      // The word after an unknown flag is most likely its value, and no fault of its own.
      if (name !== undefined && inline === undefined && argv[at + 1]?.startsWith('-') === false) at += 1;
      continue;
    }
    const hasOwnValue = inline !== undefined || takesNoValue(flag.kind, argv[at + 1]);
    const text = inline ?? (hasOwnValue ? 'true' : argv[(at += 1)]);
    if (text === undefined) problems.push(`--${name}: a value is missing`);
    else given.set(name, [...(given.get(name) ?? []), text]);
  }
  return given;
}

/** A boolean is true by its name alone; the word after it is its value only when it can be no other. */
function takesNoValue(kind: Flag['kind'], next: string | undefined): boolean {
  return kind === 'switch' || (kind === 'boolean' && next !== 'true' && next !== 'false');
}

function textsOf(flag: Flag, given: ReadonlyMap<string, readonly string[]>, { env, file }: FlagSources) {
  const argument = given.get(flag.name);
  if (argument !== undefined) return { texts: argument, source: `--${flag.name}` };
  const variable = environmentName(flag.name);
  const inherited = env[variable];
  if (inherited !== undefined && inherited !== '') return { texts: [inherited], source: variable };
  const written = file[flag.name];
  if (written !== undefined && written !== null) {
    const list: readonly unknown[] = Array.isArray(written) ? written : [written];
    return { texts: list.map(String), source: `${flag.name} in the configuration file` };
  }
  return { texts: defaultTexts(flag), source: `--${flag.name}` };
}

/** An empty text that somebody gives to a list is a fault; a list that nobody gives is empty. */
function defaultTexts({ default: text }: Flag): readonly string[] {
  return text === '' ? [] : [text];
}

function checkFileNames(file: FlagSources['file'], problems: string[]): void {
  for (const name of Object.keys(file)) {
    const flag = flags.find((one: Flag) => one.name === name);
    if (flag === undefined || flag.kind === 'switch' || flag.name === 'config') {
      problems.push(`${name} in the configuration file: there is no such setting`);
    }
  }
}

type Parsed = { readonly value: unknown } | { readonly problem: string };

function parsedDefault(flag: Flag): unknown {
  const parsed = parseValue(flag, defaultTexts(flag));
  return 'value' in parsed ? parsed.value : undefined;
}

function parseValue(flag: Flag, texts: readonly string[]): Parsed {
  if (flag.kind === 'hosts' || flag.kind === 'words') return parseList(flag, texts);
  // The last one wins, as users of other programs expect.
  const text = texts.at(-1) ?? '';
  switch (flag.kind) {
    case 'text':
      if (flag.choices === undefined || flag.choices.includes(text)) return { value: text };
      return { problem: `${quoted(text)} is none of ${flag.choices.join(', ')}` };
    case 'boolean':
    case 'switch':
      return text === 'true' || text === 'false'
        ? { value: text === 'true' }
        : { problem: `${quoted(text)} is neither true nor false` };
    case 'duration':
      return inRange(flag, parseDurationMs(text), `${quoted(text)} is no duration such as 500ms or 1m30s`);
    case 'integer':
      return inRange(flag, /^\d+$/.test(text) ? Number(text) : undefined, `${quoted(text)} is no whole number`);
    case 'number':
      return inRange(flag, /^\d+(\.\d+)?$/.test(text) ? Number(text) : undefined, `${quoted(text)} is no number`);
  }
}

function inRange(flag: Flag, value: number | undefined, problem: string): Parsed {
  if (value === undefined) return { problem };
  const [min, max] = flag.range ?? [-Infinity, Infinity];
  if (value >= min && value <= max) return { value };
  const show = flag.kind === 'duration' ? formatDuration : String;
  return { problem: `${show(value)} is not between ${show(min)} and ${show(max)}` };
}

function parseList(flag: Flag, texts: readonly string[]): Parsed {
  const lists = texts.map((text) => text.split(',').map((item) => item.trim()));
  const items = lists.map((list) => list.filter((item) => item !== ''));
  if (items.some((list) => list.length === 0)) return { problem: 'a value is missing' };
  const value = [...new Set(items.flat())];
  const wrong = value.find((item) => flag.kind === 'hosts' && !isHost(item));
  return wrong === undefined ? { value } : { problem: `${quoted(wrong)} is no HOST or HOST:PORT` };
}

/** Whether a text is a host with an optional port, and nothing more: no scheme, no path, no credentials. */
export function isHost(text: string): boolean {
  return /^([A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])(:\d{1,5})?$/.test(text);
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
