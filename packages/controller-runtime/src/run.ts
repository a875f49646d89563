import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename } from 'node:path';
import { loadKubeTarget, type KubeTarget } from '@buildkeeper/kube-client';
import { createSystemClock, createSystemRandom, type Clock } from '@buildkeeper/retry-policy';
import { destination } from 'pino';
import type { AnyController } from './controller-definition.ts';
import { helpText } from './flags.ts';
import { createLogger, type Logger } from './log.ts';
import { runControllers } from './process-runtime.ts';
import { readCommand, type Settings } from './settings.ts';

/** Longest time from the first signal to the end, whatever still hangs. */
const stopLimitMs = 10_000;
const refusedExitCode = 2;

/**
 * The main function of a controller's process: reads the command line and the environment, runs until SIGTERM or
 * SIGINT, and ends the process: 0 after a stop that was asked for, 1 on a defect, 2 when the configuration is refused.
 * A second signal ends it at once. Resolves only for `--help` and `--print-config`.
 */
export async function run(definition: AnyController | readonly AnyController[]): Promise<void> {
  const definitions = definition instanceof Array ? definition : [definition];
  const readFile = (path: string) => readFileSync(path, 'utf8');
  const command = readCommand({ argv: process.argv.slice(2), env: process.env, readFile });
  switch (command.kind) {
    case 'help':
      process.stdout.write(helpText(basename(process.argv[1] ?? 'controller')));
      return;
    case 'printConfig':
      process.stdout.write(command.text);
      return;
    case 'refuse':
      refuse(command.problems);
      return;
    case 'run':
      await start(definitions, command.settings, readFile);
  }
}

async function start(
  definitions: readonly AnyController[],
  settings: Settings,
  readFile: (path: string) => string,
): Promise<void> {
  const chosen = definitions.filter(
    ({ name }) => settings.controllers.length === 0 || settings.controllers.includes(name),
  );
  const names = definitions.map(({ name }) => name);
  const unknown = settings.controllers.filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    refuse([`--controllers: ${unknown.join(', ')} is not among ${names.join(', ')}`]);
    return;
  }
  const target = findCluster(settings);
  if (typeof target === 'string') {
    refuse([target]);
    return;
  }
  // Written at once, not in the background: the last lines before an end are the ones that matter.
  const log = createLogger({ level: settings.logLevel, destination: destination({ fd: 1, sync: true }) });
  const clock = createSystemClock();
  const stop = new AbortController();
  endOnDefect(log);
  stopOnSignal(stop, { log, clock });
  const { BUILDKEEPER_VERSION: version = 'dev', BUILDKEEPER_REVISION: revision = '' } = process.env;
  try {
    await runControllers({
      definitions: chosen,
      settings,
      target,
      clock,
      random: createSystemRandom(),
      log,
      readFile,
      identity: `${hostname()}_${randomUUID()}`,
      build: { version, revision, node: process.versions.node },
      stop: stop.signal,
    });
  } catch (error) {
    log.error({ err: error }, 'The process ends on an error');
    process.exit(1);
  }
  log.info({}, 'stopped');
  process.exit(0);
}

function findCluster({ kube: { kubeconfig, context } }: Settings): KubeTarget | string {
  try {
    return loadKubeTarget({
      env: process.env,
      ...(kubeconfig === undefined ? {} : { kubeconfig }),
      ...(context === undefined ? {} : { context }),
    });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function refuse(problems: readonly string[]): void {
  process.stderr.write(`The configuration is refused:\n${problems.map((problem) => `  ${problem}\n`).join('')}`);
  process.exitCode = refusedExitCode;
}

function endOnDefect(log: Logger): void {
  for (const event of ['unhandledRejection', 'uncaughtException']) {
    process.on(event, (error: unknown) => {
      log.error({ err: error }, event);
      process.exit(1);
    });
  }
}

function stopOnSignal(stop: AbortController, { log, clock }: { log: Logger; clock: Clock }): void {
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    process.on(name, () => {
      if (stop.signal.aborted) process.exit(1);
      log.info({ signal: name }, 'stopping');
      stop.abort(new Error('The process stops'));
      void clock.sleep(stopLimitMs, new AbortController().signal).then(() => {
        log.error({}, 'The stop takes too long');
        process.exit(1);
      });
    });
  }
}
