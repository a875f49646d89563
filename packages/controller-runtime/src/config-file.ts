import { parseYaml } from '@buildkeeper/kube-client';
import { parseDurationMs } from './durations.ts';
import { isHost } from './flag-values.ts';
import { isRecord } from './object-status.ts';
import { flags, type Flag } from './flags.ts';
import { codeOf } from './file-error.ts';

/** What a registry host has of its own; the general setting holds where nothing is given. */
export interface HostOverride {
  readonly connectTimeoutMs?: number;
  readonly headersTimeoutMs?: number;
  readonly bodyTimeoutMs?: number;
  readonly requestAttempts?: number;
}

/** A configuration file, and every fault of it that does not concern one flag's value. */
export interface ConfigFile {
  /** By flag name. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** By host. */
  readonly registries: Readonly<Record<string, HostOverride>>;
  readonly problems: readonly string[];
}

/** Reads a YAML file of settings: flag names with their values, and `registries` by host. No path: an empty one. */
export function parseConfigFile(path: string, readFile: (path: string) => string): ConfigFile {
  if (path === '') return { settings: {}, registries: {}, problems: [] };
  const document = readYaml(path, readFile);
  if (typeof document === 'string') return { settings: {}, registries: {}, problems: [`--config: ${document}`] };
  const { registries = {}, ...settings } = document;
  const problems: string[] = [];
  return { settings, registries: overridesFrom(registries, problems), problems };
}

/** The document, or what is wrong with it. */
function readYaml(path: string, readFile: (path: string) => string): Record<string, unknown> | string {
  let text: string;
  try {
    text = readFile(path);
  } catch (error) {
    return `cannot read ${path} (${codeOf(error)})`;
  }
  try {
    const document: unknown = parseYaml(text) ?? {};
    return isRecord(document) ? document : `${path} is no map of settings`;
  } catch (error) {
    // The first line only: the rest quotes the file.
    return `${path} is no YAML: ${String(error).split('\n', 1)[0] ?? ''}`;
  }
}

const overrideFields = {
  'connect-timeout': 'connectTimeoutMs',
  'headers-timeout': 'headersTimeoutMs',
  'body-timeout': 'bodyTimeoutMs',
  'request-attempts': 'requestAttempts',
} as const;

function overridesFrom(registries: unknown, problems: string[]): Readonly<Record<string, HostOverride>> {
  if (!isRecord(registries)) {
    problems.push('registries in the configuration file: no map of hosts');
    return {};
  }
  const entries = Object.entries(registries).map(([host, settings]) => {
    if (!isHost(host))
      problems.push(`registries in the configuration file: ${JSON.stringify(host)} is no HOST or HOST:PORT`);
    return [host, overrideFrom(host, settings, problems)] as const;
  });
  return Object.fromEntries(entries);
}

function overrideFrom(host: string, settings: unknown, problems: string[]): HostOverride {
  const override: Record<string, number> = {};
  for (const [name, value] of Object.entries(isRecord(settings) ? settings : {})) {
    const field = name in overrideFields ? overrideFields[name as keyof typeof overrideFields] : undefined;
    const number = field === undefined ? undefined : numberFor(name, String(value));
    if (field === undefined || number === undefined) {
      problems.push(
        `registries.${host}.${name} in the configuration file: ${field ? 'not a permitted value' : 'there is no such setting'}`,
      );
    } else override[field] = number;
  }
  return override;
}

function numberFor(name: string, text: string): number | undefined {
  const flag: Flag | undefined = flags.find((one: Flag) => one.name === name);
  const value = flag?.kind === 'duration' ? parseDurationMs(text) : wholeNumber(text);
  const [min, max] = flag?.range ?? [0, 0];
  return value !== undefined && value >= min && value <= max ? value : undefined;
}

function wholeNumber(text: string): number | undefined {
  return /^\d+$/.test(text) ? Number(text) : undefined;
}
