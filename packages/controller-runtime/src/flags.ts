const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** What a flag may be given: a text, a duration, a number, true or false, a list of hosts, or nothing but its name. */
export type FlagKind = 'text' | 'duration' | 'integer' | 'number' | 'boolean' | 'hosts' | 'words' | 'switch';

/** One flag of a controller. Everything that is told about flags (help, environment, documents) is made from these. */
export interface Flag {
  /** Without the dashes. */
  readonly name: string;
  readonly kind: FlagKind;
  /** As a person would write it; empty when there is none. */
  readonly default: string;
  readonly help: string;
  /** What stands for the value in the help. */
  readonly value?: string;
  /** Bounds of the number, both allowed; durations in milliseconds. */
  readonly range?: readonly [min: number, max: number];
  /** The only words allowed. */
  readonly choices?: readonly string[];
}

const retryRange = { base: [10, minute], max: [100, hour] } as const;
const slowRange = [10, day] as const;
const timeoutRange = [10, hour] as const;

type Range = readonly [min: number, max: number];

const text = <const N extends string>(name: N, given: string, value: string, help: string) =>
  ({ name, kind: 'text', default: given, value, help }) as const;
const boolean = <const N extends string>(name: N, given: string, help: string) =>
  ({ name, kind: 'boolean', default: given, help }) as const;
const toggle = <const N extends string>(name: N, help: string) =>
  ({ name, kind: 'switch', default: 'false', help }) as const;
const hosts = <const N extends string>(name: N, value: string, help: string) =>
  ({ name, kind: 'hosts', default: '', value, help }) as const;
const words = <const N extends string>(name: N, value: string, help: string) =>
  ({ name, kind: 'words', default: '', value, help }) as const;
const duration = <const N extends string>(name: N, given: string, range: Range, help: string) =>
  ({ name, kind: 'duration', default: given, range, help }) as const;
const integer = <const N extends string>(name: N, given: string, range: Range, help: string) =>
  ({ name, kind: 'integer', default: given, range, help }) as const;
const number = <const N extends string>(name: N, given: string, range: Range, help: string) =>
  ({ name, kind: 'number', default: given, range, help }) as const;

/** All flags, in the order of the help. Each has an environment twin, {@link environmentName}. */
export const flags = [
  text('kubeconfig', '', 'FILE', 'kubeconfig file; else KUBECONFIG, else in-cluster'),
  text('context', '', 'NAME', 'context of the kubeconfig; else its current one'),
  text('http-address', ':8080', 'HOST:PORT', 'where /metrics, /healthz and /readyz answer; port 0 picks one'),
  integer('workers', '10', [1, 100], 'objects that are reconciled at the same time'),
  boolean('leader-elect', 'true', 'reconcile only while holding the Lease buildkeeper-<controller>'),
  text('leader-elect-namespace', '', 'NAMESPACE', 'namespace of the Lease; else that of the pod or context'),
  duration('retry-base', '1s', retryRange.base, 'first delay after a transient failure'),
  number('retry-factor', '2', [1.5, 3], 'growth of the delay with each further failure'),
  duration('retry-max', '5m', retryRange.max, 'longest delay after a transient failure'),
  duration('auth-retry-base', '30s', slowRange, 'first delay after refused credentials'),
  duration('auth-retry-max', '15m', slowRange, 'longest delay after refused credentials'),
  duration('not-found-retry-base', '10s', slowRange, 'first delay while an image is missing'),
  duration('not-found-retry-max', '10m', slowRange, 'longest delay while an image is missing'),
  duration('throttled-retry-base', '15s', slowRange, 'first delay after a 429 without Retry-After'),
  duration('throttled-retry-max', '10m', slowRange, 'longest delay after a 429 without Retry-After'),
  duration('tls-retry-base', '1m', slowRange, 'first delay after a certificate that cannot be verified'),
  duration('tls-retry-max', '15m', slowRange, 'longest delay after a certificate that cannot be verified'),
  duration('invalid-recheck', '1h', [100, day], 'when an invalid spec or image is looked at again'),
  integer('request-attempts', '3', [1, 5], 'attempts of one registry request inside a reconcile'),
  duration('refresh-interval', '15m', [100, day], 'when an object that is up to date is checked again'),
  duration('reconcile-timeout', '10m', [10, day], 'longest time of one reconcile'),
  duration('connect-timeout', '5s', timeoutRange, 'longest time to connect to a registry'),
  duration('headers-timeout', '30s', timeoutRange, 'longest wait for the head of an answer'),
  duration('body-timeout', '30s', timeoutRange, 'longest pause inside the body of an answer'),
  hosts('plain-http-registry', 'HOST[:PORT]', 'registry without TLS; repeatable'),
  hosts('skip-tls-verify-registry', 'HOST[:PORT]', 'registry whose certificate is not verified; repeatable'),
  text('registry-ca', '', 'FILE', 'further CA certificates for registries; re-read when it changes'),
  boolean('watch-secrets', 'true', 'watch Secrets and ServiceAccounts, so that mended credentials are tried at once'),
  text('config', '', 'FILE', 'YAML file with these settings, and overrides per registry host'),
  { ...text('log-level', 'info', 'LEVEL', 'debug, info, warn or error'), choices: ['debug', 'info', 'warn', 'error'] },
  words('controllers', 'NAME,…', 'which controllers to run, where a program has several; all unless given'),
  toggle('print-config', 'print the effective configuration and exit'),
  toggle('help', 'print this and exit'),
] as const satisfies readonly Flag[];

type ValueOf<Kind extends FlagKind> = Kind extends 'duration' | 'integer' | 'number'
  ? number
  : Kind extends 'boolean' | 'switch'
    ? boolean
    : Kind extends 'hosts' | 'words'
      ? readonly string[]
      : string;

/** The value of every flag: durations in milliseconds, an empty text or list where nothing was given. */
export type FlagValues = { readonly [F in (typeof flags)[number] as F['name']]: ValueOf<F['kind']> };

/** The environment variable that stands for a flag: `--retry-max` is `BUILDKEEPER_RETRY_MAX`. */
export function environmentName(flagName: string): string {
  return `BUILDKEEPER_${flagName.toUpperCase().replaceAll('-', '_')}`;
}

/** The text of `--help`. */
export function helpText(program: string): string {
  const rows = flags.map((flag: Flag) => {
    const value = flag.kind === 'switch' ? '' : ` ${flag.value ?? flag.kind.toUpperCase()}`;
    const given = flag.default === '' || flag.kind === 'switch' ? '' : ` (${flag.default})`;
    return { left: `  --${flag.name}${value}`, right: `${flag.help}${given}` };
  });
  const width = Math.max(...rows.map(({ left }) => left.length)) + 2;
  const lines = rows.map(({ left, right }) => left.padEnd(width) + right);
  const notes =
    'Durations: 500ms, 1m30s. A flag goes before its variable (BUILDKEEPER_RETRY_MAX), that before --config.';
  return `Usage: ${program} [flags]\n\n${lines.join('\n')}\n\n${notes}\n`;
}
