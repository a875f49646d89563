import { parse } from 'yaml';
import { describe, expect, it } from 'vitest';
import { defaultObjectPaces } from '@buildkeeper/retry-policy';
import { formatDuration } from './durations.ts';
import { environmentName, flags, helpText, type Flag } from './flags.ts';
import { readCommand, type Settings } from './settings.ts';

const certificate = '-----BEGIN CERTIFICATE-----\n';
const files: Record<string, string> = { '/ca.pem': certificate, '/empty.pem': 'x' };
const readFile = (path: string) => {
  const text = files[path];
  if (text === undefined) throw Object.assign(new Error(`ENOENT: ${path}`), { code: 'ENOENT' });
  return text;
};
const read = (options: { argv?: readonly string[]; env?: Record<string, string>; config?: string }) => {
  const { argv = [], env = {}, config } = options;
  if (config !== undefined) files['/config.yaml'] = config;
  return readCommand({ argv: config === undefined ? argv : ['--config', '/config.yaml', ...argv], env, readFile });
};
const settingsOf = (options: Parameters<typeof read>[0]): Settings => {
  const command = read(options);
  if (command.kind !== 'run') throw new Error(JSON.stringify(command));
  return command.settings;
};
const problemsOf = (options: Parameters<typeof read>[0]) => {
  const command = read(options);
  return command.kind === 'refuse' ? command.problems : [];
};

describe('the settings', () => {
  it('are those of the documents when nothing is given', () => {
    expect(settingsOf({})).toEqual({
      kube: { kubeconfig: undefined, context: undefined },
      httpAddress: { host: undefined, port: 8080 },
      workers: 10,
      leaderElection: { isEnabled: true, namespace: undefined },
      paces: defaultObjectPaces,
      registry: {
        plainHttpHosts: [],
        skipTlsVerifyHosts: [],
        registryCaFile: undefined,
        connectTimeoutMs: 5000,
        headersTimeoutMs: 30_000,
        bodyTimeoutMs: 30_000,
        requestAttempts: 3,
        overrides: {},
      },
      refreshIntervalMs: 900_000,
      reconcileTimeoutMs: 600_000,
      watchSecrets: true,
      logLevel: 'info',
      controllers: [],
    });
  });

  it('cannot be changed', () => {
    expect(Object.isFrozen(settingsOf({}).registry.plainHttpHosts)).toBe(true);
  });

  it.each([
    { argv: ['--retry-max=2m'], env: { BUILDKEEPER_RETRY_MAX: '3m' }, config: 'retry-max: 4m', ms: 120_000 },
    { argv: [], env: { BUILDKEEPER_RETRY_MAX: '3m' }, config: 'retry-max: 4m', ms: 180_000 },
    { argv: [], env: {}, config: 'retry-max: 4m', ms: 240_000 },
    { argv: ['--retry-max', '1m', '--retry-max', '90s'], env: {}, config: '', ms: 90_000 },
  ])('come from the flag, else the environment, else the file: $ms ms', ({ ms, ...options }) => {
    expect(settingsOf(options).paces.transient.maxDelayMs).toBe(ms);
  });

  it('take an environment variable that is empty for none', () => {
    expect(settingsOf({ env: { BUILDKEEPER_WORKERS: '' } }).workers).toBe(10);
  });

  it('ignore variables that Kubernetes makes of a Service of that name', () => {
    const env = { BUILDKEEPER_SERVICE_HOST: '10.0.0.1', BUILDKEEPER_PORT: 'tcp://10.0.0.1:80' };
    expect(problemsOf({ env })).toEqual([]);
  });

  it.each([
    { argv: ['--leader-elect=false'], isEnabled: false },
    { argv: ['--leader-elect', 'false'], isEnabled: false },
    { argv: ['--leader-elect'], isEnabled: true },
    { argv: ['--leader-elect', '--workers', '2'], isEnabled: true },
  ])('read a boolean as $argv', ({ argv, isEnabled }) => {
    expect(settingsOf({ argv }).leaderElection.isEnabled).toBe(isEnabled);
  });

  it.each([
    { argv: ['--plain-http-registry', 'a:5000', '--plain-http-registry', '[::1]:80'] },
    { env: { BUILDKEEPER_PLAIN_HTTP_REGISTRY: 'a:5000, [::1]:80' } },
    { config: 'plain-http-registry: ["a:5000", "[::1]:80"]' },
  ])('collect the values of a repeatable flag from $argv$env$config', (options) => {
    expect(settingsOf(options).registry.plainHttpHosts).toEqual(['a:5000', '[::1]:80']);
  });

  it('take overrides per registry host from the file', () => {
    const config = 'registries:\n  slow.example:5000: { connect-timeout: 20s, request-attempts: 5 }\n';
    expect(settingsOf({ config }).registry.overrides).toEqual({
      'slow.example:5000': { connectTimeoutMs: 20_000, requestAttempts: 5 },
    });
  });
});

const ranged = flags.filter((flag: Flag) => flag.range !== undefined) as readonly Flag[];
const text = (flag: Flag, value: number) => (flag.kind === 'duration' ? formatDuration(value) : String(value));

describe('the bounds', () => {
  // Both ends of a pace are set, so that base and max agree.
  const partner = ({ name }: Flag) => name.replace(/-(base|max)$/, (_, end) => (end === 'base' ? '-max' : '-base'));
  const withPartner = (flag: Flag, value: number) =>
    [flag.name, ...(partner(flag) === flag.name ? [] : [partner(flag)])].map(
      (name) => `--${name}=${text(flag, value)}`,
    );

  it.each(ranged)('of --$name are allowed themselves, and nothing beyond', (flag) => {
    const [min, max] = flag.range ?? [0, 0];
    const step = flag.kind === 'number' ? 0.1 : 1;
    const own = (value: number) =>
      problemsOf({ argv: withPartner(flag, value) }).filter((one) =>
        one.startsWith(`--${flag.name}: ${text(flag, value)} is not`),
      );
    expect(own(min)).toEqual([]);
    expect(own(max)).toEqual([]);
    expect(own(min - step)).toHaveLength(1);
    expect(own(max + step)).toHaveLength(1);
  });
});

describe('a configuration with faults', () => {
  it('is refused with all of them at once', () => {
    const argv = ['--worker', '--workers=0', '--retry-base', '5', '--retry-factor=9', '--log-level=loud', 'stray'];
    const env = { BUILDKEEPER_LEADER_ELECT: 'yes', BUILDKEEPER_REGISTRY_CA: '/none.pem' };
    const config =
      'retry_max: 5m\nauth-retry-base: 20m\nregistries: { "https://a": {}, b: { connect-timeout: 1y, x: 1 } }';
    expect(problemsOf({ argv, env, config })).toEqual([
      'registries in the configuration file: "https://a" is no HOST or HOST:PORT',
      'registries.b.connect-timeout in the configuration file: not a permitted value',
      'registries.b.x in the configuration file: there is no such setting',
      '--worker: there is no such flag',
      'stray: there is no such flag',
      'retry_max in the configuration file: there is no such setting',
      '--workers: 0 is not between 1 and 100',
      'BUILDKEEPER_LEADER_ELECT: "yes" is neither true nor false',
      '--retry-base: "5" is no duration such as 500ms or 1m30s',
      '--retry-factor: 9 is not between 1.5 and 3',
      '--log-level: "loud" is none of debug, info, warn, error',
      '--auth-retry-base: 20m is over --auth-retry-max, 15m',
      '--registry-ca: cannot read /none.pem (ENOENT)',
    ]);
  });

  it.each([
    { argv: ['--http-address', '8080'], problem: '--http-address: "8080" is no HOST:PORT' },
    { argv: ['--config', '/none.yaml'], problem: '--config: cannot read /none.yaml (ENOENT)' },
    { argv: ['--registry-ca', '/empty.pem'], problem: '--registry-ca: /empty.pem holds no PEM certificate' },
    { argv: ['--workers'], problem: '--workers: a value is missing' },
    { argv: ['--skip-tls-verify-registry='], problem: '--skip-tls-verify-registry: a value is missing' },
    { argv: ['--plain-http-registry', ' ,'], problem: '--plain-http-registry: a value is missing' },
    {
      config: 'skip-tls-verify-registry: ""',
      problem: 'skip-tls-verify-registry in the configuration file: a value is missing',
    },
    { argv: ['--controllers=a', '--controllers='], problem: '--controllers: a value is missing' },
    { argv: ['--worker', '5', '--leader-elect'], problem: '--worker: there is no such flag' },
    { argv: ['--worker=5'], problem: '--worker: there is no such flag' },
    { argv: ['--worker', '--leader-elect'], problem: '--worker: there is no such flag' },
    {
      argv: ['--plain-http-registry', 'http://a'],
      problem: '--plain-http-registry: "http://a" is no HOST or HOST:PORT',
    },
    {
      argv: ['--plain-http-registry', 'a', '--skip-tls-verify-registry', 'a'],
      problem: '--skip-tls-verify-registry: a is a plain HTTP registry, without TLS to verify',
    },
    { config: '- a\n- b\n', problem: '--config: /config.yaml is no map of settings' },
    { config: 'config: x', problem: 'config in the configuration file: there is no such setting' },
    { config: 'registries: 5', problem: 'registries in the configuration file: no map of hosts' },
    { config: 'workers: [', problem: /^--config: \/config.yaml is no YAML: / },
  ])('is refused: $problem', ({ problem, ...options }) => {
    const [only, ...others] = problemsOf(options);
    if (typeof problem === 'string') expect(only).toBe(problem);
    else expect(only).toMatch(problem);
    expect(others).toEqual([]);
  });
});

describe('a kubeconfig that cannot be read', () => {
  it('is told with the faults beside it, and left to who reads it when there are none', () => {
    const argv = ['--kubeconfig', '/none'];
    expect(problemsOf({ argv: [...argv, '--workers=0'] })).toEqual([
      '--workers: 0 is not between 1 and 100',
      '--kubeconfig: cannot read /none (ENOENT)',
    ]);
    expect(read({ argv }).kind).toBe('run');
  });
});

describe('--print-config', () => {
  it('prints what can be given back as --config and means the same', () => {
    const argv = [
      '--retry-base=250ms',
      '--plain-http-registry=a:5000',
      '--registry-ca=/ca.pem',
      '--leader-elect=false',
    ];
    const config = 'workers: 3\nregistries: { b: { body-timeout: 1m30s, request-attempts: 1 } }';
    const printed = read({ argv: [...argv, '--print-config'], config });
    if (printed.kind !== 'printConfig') throw new Error(printed.kind);
    expect(parse(printed.text)).toMatchObject({ workers: 3, 'retry-base': '250ms', 'retry-max': '5m' });
    const before = settingsOf({ argv, config });
    expect(settingsOf({ config: printed.text })).toEqual(before);
  });
});

describe('--help', () => {
  it('is answered whatever else is wrong', () => {
    expect(read({ argv: ['--help', '--nonsense'] })).toEqual({ kind: 'help' });
  });

  it('names every flag, its default and how to give it otherwise', () => {
    const help = helpText('builder');
    for (const { name } of flags) expect(help).toContain(`--${name}`);
    expect(help).toMatch(/--retry-max DURATION\s+longest delay after a transient failure \(5m\)/);
    expect(environmentName('not-found-retry-base')).toBe('BUILDKEEPER_NOT_FOUND_RETRY_BASE');
  });
});
