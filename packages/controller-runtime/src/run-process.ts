import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename } from 'node:path';
import { loadKubeTarget, type KubeTarget } from '@buildkeeper/kube-client';
import type { Clock, Random } from '@buildkeeper/retry-policy';
import type { DestinationStream } from 'pino';
import type { AnyController } from './controller-definition.ts';
import { helpText } from './flags.ts';
import { createLogger, type Logger } from './log.ts';
import { runControllers } from './process-runtime.ts';
import { readCommand, type Settings } from './settings.ts';

/** What a process is to the code that runs in it. */
export interface ProcessHost {
  /** The interpreter, the program, its arguments. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly nodeVersion: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logDestination: DestinationStream;
  readonly writeOutput: (text: string) => void;
  readonly writeError: (text: string) => void;
  readonly on: (event: ProcessEvent, listener: (value: unknown) => void) => void;
  readonly exit: (code: number) => void;
}

/** What may befall a process. */
export type ProcessEvent = 'SIGTERM' | 'SIGINT' | 'unhandledRejection' | 'uncaughtException';

/** Longest time from the first signal to the end, whatever still hangs. */
const stopLimitMs = 10_000;
const exitCodes = { stopped: 0, defect: 1, refused: 2 } as const;

/** Does what the command line of `host` asks for, and ends it; see {@link run}. */
export async function runProcess(definitions: readonly AnyController[], host: ProcessHost): Promise<void> {
  const command = readCommand({ argv: host.argv.slice(2), env: host.env, readFile });
  switch (command.kind) {
    case 'help':
      host.writeOutput(helpText(basename(host.argv[1] ?? 'controller')));
      return;
    case 'printConfig':
      host.writeOutput(command.text);
      return;
    case 'refuse':
      refuse(command.problems, host);
      return;
    case 'run':
      await prepare(definitions, command.settings, host);
  }
}

async function prepare(definitions: readonly AnyController[], settings: Settings, host: ProcessHost): Promise<void> {
  const names = definitions.map(({ name }) => name);
  const unknown = settings.controllers.filter((name) => !names.includes(name));
  const target = findCluster(settings, host);
  const problems = [
    ...unknown.map((name) => `--controllers: ${name} is not among ${names.join(', ')}`),
    ...(typeof target === 'string' ? [target] : []),
  ];
  if (typeof target === 'string' || problems.length > 0) refuse(problems, host);
  else {
    const isChosen = ({ name }: AnyController) =>
      settings.controllers.length === 0 || settings.controllers.includes(name);
    await start(definitions.filter(isChosen), { settings, target }, host);
  }
}

async function start(
  definitions: readonly AnyController[],
  { settings, target }: { settings: Settings; target: KubeTarget },
  host: ProcessHost,
): Promise<void> {
  const log = createLogger({ level: settings.logLevel, destination: host.logDestination });
  const [stop, ended] = [new AbortController(), new AbortController()];
  endOnDefect(host, log);
  stopOnSignal(stop, { host, log, ended: ended.signal });
  const { BUILDKEEPER_VERSION: version = 'dev', BUILDKEEPER_REVISION: revision = '' } = host.env;
  try {
    await runControllers({
      ...host,
      definitions,
      settings,
      target,
      log,
      readFile,
      identity: `${hostname()}_${randomUUID()}`,
      build: { version, revision, node: host.nodeVersion },
      stop: stop.signal,
    });
    ended.abort();
    log.info({}, 'stopped');
    host.exit(exitCodes.stopped);
  } catch (error) {
    log.error({ err: error }, 'The process ends on an error');
    host.exit(exitCodes.defect);
  }
}

function readFile(path: string): string {
  return readFileSync(path, 'utf8');
}

/** The cluster, or why there is none. */
function findCluster({ kube: { kubeconfig, context } }: Settings, { env }: ProcessHost): KubeTarget | string {
  try {
    return loadKubeTarget({
      env,
      ...(kubeconfig === undefined ? {} : { kubeconfig }),
      ...(context === undefined ? {} : { context }),
    });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function refuse(problems: readonly string[], host: ProcessHost): void {
  host.writeError(`The configuration is refused:\n${problems.map((problem) => `  ${problem}\n`).join('')}`);
  host.exit(exitCodes.refused);
}

function endOnDefect(host: ProcessHost, log: Logger): void {
  for (const event of ['unhandledRejection', 'uncaughtException'] as const) {
    host.on(event, (error) => {
      log.error({ err: error }, event);
      host.exit(exitCodes.defect);
    });
  }
}

function stopOnSignal(
  stop: AbortController,
  { host, log, ended }: { host: ProcessHost; log: Logger; ended: AbortSignal },
): void {
  const onSignal = (signal: unknown) => {
    if (stop.signal.aborted) {
      host.exit(exitCodes.defect);
      return;
    }
    log.info({ signal }, 'stopping');
    stop.abort(new Error('The process stops'));
    const onLimit = () => {
      log.error({}, 'The stop takes too long');
      host.exit(exitCodes.defect);
    };
    void host.clock.sleep(stopLimitMs, ended).then(onLimit, () => undefined);
  };
  host.on('SIGTERM', onSignal);
  host.on('SIGINT', onSignal);
}
