import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';

/** A program that serves until it is stopped. */
export interface ServerProcess {
  readonly isRunning: () => boolean;
  /** The end of what it wrote, for an error message. */
  readonly lastWords: () => string;
  /** SIGTERM, and SIGKILL after `patienceMs`. Resolves when the program has ended. */
  stop(patienceMs: number): Promise<void>;
}

/** Starts a program with its output in a file. It ends with this process at the latest. */
export function startServerProcess(program: string, args: readonly string[], logFile: string): ServerProcess {
  const log = openSync(logFile, 'w');
  const child = spawn(program, args, { stdio: ['ignore', log, log] });
  closeSync(log);
  let spawnError: Error | undefined;
  child.once('error', (error) => {
    spawnError = error;
  });
  const killAtExit = () => child.kill('SIGKILL');
  process.once('exit', killAtExit);
  const ended = new Promise<void>((resolve) => {
    child.once('close', resolve);
  });
  const isRunning = () => spawnError === undefined && child.exitCode === null && child.signalCode === null;
  return {
    isRunning,
    lastWords: () => spawnError?.message ?? readFileSync(logFile, 'utf8').split('\n').slice(-12).join('\n'),
    async stop(patienceMs) {
      process.off('exit', killAtExit);
      if (!isRunning()) return;
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), patienceMs);
      await ended;
      clearTimeout(timer);
    },
  };
}
