import { destination } from 'pino';
import { createSystemClock, createSystemRandom } from '@buildkeeper/retry-policy';
import type { AnyController } from './controller-definition.ts';
import { runProcess } from './run-process.ts';

/**
 * The main function of a controller's process: reads the command line and the environment, runs until SIGTERM or
 * SIGINT, and ends the process: 0 after a stop that was asked for, 1 on a defect, 2 when the configuration is refused.
 * A second signal ends it at once. Resolves only for `--help` and `--print-config`.
 */
export async function run(definition: AnyController | readonly AnyController[]): Promise<void> {
  await runProcess(definition instanceof Array ? definition : [definition], {
    argv: process.argv,
    env: process.env,
    nodeVersion: process.versions.node,
    clock: createSystemClock(),
    random: createSystemRandom(),
    // Written at once, not in the background: the last lines before an end are the ones that matter.
    logDestination: destination({ fd: 1, sync: true }),
    writeOutput: (text) => void process.stdout.write(text),
    writeError: (text) => void process.stderr.write(text),
    on: (event, listener) => void process.on(event, listener),
    exit: (code) => process.exit(code),
  });
}
