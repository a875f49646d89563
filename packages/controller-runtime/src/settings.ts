import { formatYaml } from '@buildkeeper/kube-client';
import { maxDelayMs, type ObjectPaces, defaultObjectPaces, type Pace } from '@buildkeeper/retry-policy';
import { parseHttpAddress, type HttpAddress } from './http-address.ts';
import { parseConfigFile, type HostOverride } from './config-file.ts';
import { formatDuration } from './durations.ts';
import { codeOf } from './file-error.ts';
import { argumentTexts, readFlags } from './flag-values.ts';
import { environmentName, flags, type Flag, type FlagValues } from './flags.ts';

/** The effective configuration of a controller. Frozen; durations are in milliseconds. */
export interface Settings {
  readonly kube: { readonly kubeconfig: string | undefined; readonly context: string | undefined };
  readonly httpAddress: HttpAddress;
  readonly workers: number;
  readonly leaderElection: { readonly isEnabled: boolean; readonly namespace: string | undefined };
  readonly paces: ObjectPaces;
  readonly registry: RegistrySettings;
  readonly refreshIntervalMs: number;
  readonly reconcileTimeoutMs: number;
  readonly watchSecrets: boolean;
  readonly logLevel: string;
  /** Names of the controllers to run; empty means all of the program. */
  readonly controllers: readonly string[];
}

/** What concerns the requests to registries. */
export interface RegistrySettings {
  readonly plainHttpHosts: readonly string[];
  readonly skipTlsVerifyHosts: readonly string[];
  readonly registryCaFile: string | undefined;
  readonly connectTimeoutMs: number;
  readonly headersTimeoutMs: number;
  readonly bodyTimeoutMs: number;
  readonly requestAttempts: number;
  /** By host, or host:port. */
  readonly overrides: Readonly<Record<string, HostOverride>>;
}

/** What a command line asks for. */
export type Command =
  | { readonly kind: 'run'; readonly settings: Settings }
  | { readonly kind: 'printConfig'; readonly text: string }
  | { readonly kind: 'help' }
  | { readonly kind: 'refuse'; readonly problems: readonly string[] };

/** What a command line is read with. */
export interface CommandInputs {
  /** Arguments after the program's name. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Text of a file; throws an Error with a code when it cannot be read. */
  readonly readFile: (path: string) => string;
}

/** Judges a command line, its environment and its configuration file; all their faults are told at once. */
export function readCommand(inputs: CommandInputs): Command {
  const configFile = argumentTexts(inputs.argv, []).get('config')?.at(-1) ?? inputs.env[environmentName('config')];
  const file = parseConfigFile(configFile ?? '', inputs.readFile);
  const read = readFlags({ argv: inputs.argv, env: inputs.env, file: file.settings });
  const { values } = read;
  const address = parseHttpAddress(values['http-address']);
  const problems = [...file.problems, ...read.problems, ...crossChecks(values, inputs.readFile)];
  if (values.help) return { kind: 'help' };
  if (address === undefined) problems.push(`--http-address: ${JSON.stringify(values['http-address'])} is no HOST:PORT`);
  if (address === undefined || problems.length > 0) {
    return { kind: 'refuse', problems: [...problems, ...kubeconfigProblems(values.kubeconfig, inputs.readFile)] };
  }
  if (values['print-config']) return { kind: 'printConfig', text: configText(values, file.registries) };
  return { kind: 'run', settings: settingsFrom(values, address, file.registries) };
}

function settingsFrom(
  values: FlagValues,
  httpAddress: HttpAddress,
  overrides: Readonly<Record<string, HostOverride>>,
): Settings {
  return deepFreeze({
    kube: { kubeconfig: optional(values.kubeconfig), context: optional(values.context) },
    httpAddress,
    workers: values.workers,
    leaderElection: { isEnabled: values['leader-elect'], namespace: optional(values['leader-elect-namespace']) },
    paces: pacesFrom(values),
    registry: {
      plainHttpHosts: values['plain-http-registry'],
      skipTlsVerifyHosts: values['skip-tls-verify-registry'],
      registryCaFile: optional(values['registry-ca']),
      connectTimeoutMs: values['connect-timeout'],
      headersTimeoutMs: values['headers-timeout'],
      bodyTimeoutMs: values['body-timeout'],
      requestAttempts: values['request-attempts'],
      overrides,
    },
    refreshIntervalMs: values['refresh-interval'],
    reconcileTimeoutMs: values['reconcile-timeout'],
    watchSecrets: values['watch-secrets'],
    logLevel: values['log-level'],
    controllers: values.controllers,
  });
}

function pacesFrom(values: FlagValues): ObjectPaces {
  const pace = (baseDelayMs: number, maxDelayMs: number): Pace => ({
    baseDelayMs,
    maxDelayMs,
    factor: values['retry-factor'],
  });
  return {
    transient: pace(values['retry-base'], values['retry-max']),
    tls: pace(values['tls-retry-base'], values['tls-retry-max']),
    throttled: pace(values['throttled-retry-base'], values['throttled-retry-max']),
    auth: pace(values['auth-retry-base'], values['auth-retry-max']),
    notFound: pace(values['not-found-retry-base'], values['not-found-retry-max']),
    conflict: defaultObjectPaces.conflict,
    invalidRecheckMs: Math.min(values['invalid-recheck'], maxDelayMs),
  };
}

const pacedFlags = ['retry', 'auth-retry', 'not-found-retry', 'throttled-retry', 'tls-retry'] as const;

function crossChecks(values: FlagValues, readFile: CommandInputs['readFile']): readonly string[] {
  const orders = pacedFlags.flatMap((name) => {
    const [base, max] = [values[`${name}-base`], values[`${name}-max`]];
    return base <= max ? [] : [`--${name}-base: ${formatDuration(base)} is over --${name}-max, ${formatDuration(max)}`];
  });
  const both = values['plain-http-registry'].filter((host) => values['skip-tls-verify-registry'].includes(host));
  const hosts = both.map(
    (host) => `--skip-tls-verify-registry: ${host} is a plain HTTP registry, without TLS to verify`,
  );
  return [...orders, ...hosts, ...caProblems(values['registry-ca'], readFile)];
}

/** For a command line that is refused anyway; else who looks for the cluster tells it. */
function kubeconfigProblems(path: string, readFile: CommandInputs['readFile']): readonly string[] {
  if (path === '') return [];
  try {
    readFile(path);
    return [];
  } catch (error) {
    return [`--kubeconfig: cannot read ${path} (${codeOf(error)})`];
  }
}

function caProblems(path: string, readFile: CommandInputs['readFile']): readonly string[] {
  if (path === '') return [];
  try {
    if (readFile(path).includes('-----BEGIN CERTIFICATE-----')) return [];
    return [`--registry-ca: ${path} holds no PEM certificate`];
  } catch (error) {
    return [`--registry-ca: cannot read ${path} (${codeOf(error)})`];
  }
}

function configText(values: FlagValues, registries: Readonly<Record<string, HostOverride>>): string {
  const entries = flags
    .filter((flag: Flag) => flag.kind !== 'switch' && flag.name !== 'config')
    .map((flag: Flag) => [flag.name, shown(flag, values)] as const)
    .filter(([, value]) => value !== '');
  const overrides = Object.entries(registries).map(([host, override]) => [host, shownOverride(override)]);
  const parts = { ...Object.fromEntries(entries), registries: Object.fromEntries(overrides) as object };
  return formatYaml(parts);
}

function shown(flag: Flag, values: FlagValues): unknown {
  const value = values[flag.name as keyof FlagValues];
  return flag.kind === 'duration' && typeof value === 'number' ? formatDuration(value) : value;
}

function shownOverride(override: HostOverride): object {
  const { connectTimeoutMs, headersTimeoutMs, bodyTimeoutMs, requestAttempts } = override;
  const times = {
    'connect-timeout': connectTimeoutMs,
    'headers-timeout': headersTimeoutMs,
    'body-timeout': bodyTimeoutMs,
  };
  const shownTimes = Object.entries(times).flatMap(([name, ms]) =>
    ms === undefined ? [] : [[name, formatDuration(ms)]],
  );
  const attempts = requestAttempts === undefined ? {} : { 'request-attempts': requestAttempts };
  return { ...(Object.fromEntries(shownTimes) as object), ...attempts };
}

function optional(text: string): string | undefined {
  return text === '' ? undefined : text;
}

function deepFreeze<T extends object>(value: T): T {
  for (const part of Object.values(value) as unknown[]) {
    if (typeof part === 'object' && part !== null) deepFreeze(part);
  }
  return Object.freeze(value);
}
