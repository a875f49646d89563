import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

/** The controllers that are deployed, in the order in which they are started. */
export const controllerNames = ['clusterstore', 'clusterstack', 'builder', 'clusterbuilder'] as const;

/** Name of one controller: the folder under `apps/` and the metric label. */
export type ControllerName = (typeof controllerNames)[number];

/** How to start one controller. */
export interface ControllerStart {
  readonly name: ControllerName;
  /** Flags, in addition to the kubeconfig and the address. */
  readonly flags?: readonly string[];
  readonly kubeconfig: string;
  /** Where its log goes; the file is appended to. */
  readonly logFile: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Called with each line of the log that is JSON. */
  readonly onLog?: (line: Readonly<Record<string, unknown>>) => void;
}

/** A controller that runs as a process of its own. */
export interface ControllerProcess {
  readonly name: ControllerName;
  readonly pid: number;
  /** `http://127.0.0.1:PORT` of its metrics and health server. */
  readonly address: string;
  /** Milliseconds from the start of the process until it answered `/healthz`. */
  readonly healthyAfterMs: number;
  readonly logFile: string;
  /** The text of `/metrics` now. */
  metrics(): Promise<string>;
  isRunning(): boolean;
  /** Sends a signal (default SIGTERM) and waits for the end; answers the exit code, null when a signal ended it. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

const root = join(import.meta.dirname, '../../..');

/** The bundle of a controller. Throws when it has not been built. */
export function bundleOf(name: ControllerName): string {
  const bundle = join(root, 'apps', name, 'dist/main.mjs');
  if (!existsSync(bundle)) throw new Error(`apps/${name}/dist/main.mjs is missing: run npm run build first`);
  return bundle;
}

/** Starts a built controller and resolves once it answers `/healthz`. Throws with its last words when it ends first. */
export async function startController(start: ControllerStart): Promise<ControllerProcess> {
  const startedMs = performance.now();
  const args = ['--kubeconfig', start.kubeconfig, '--http-address', '127.0.0.1:0', ...(start.flags ?? [])];
  const child = spawn(process.execPath, [bundleOf(start.name), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...start.env },
  });
  const words = listen(child, start);
  const address = await Promise.race([words.address, endedEarly(child, start, words.last)]);
  await untilHealthy(address);
  const healthyAfterMs = performance.now() - startedMs;
  return {
    name: start.name,
    pid: child.pid ?? 0,
    address,
    healthyAfterMs,
    logFile: start.logFile,
    metrics: async () => (await fetch(`${address}/metrics`)).text(),
    isRunning: () => child.exitCode === null && child.signalCode === null,
    stop: (signal = 'SIGTERM') => stop(child, signal),
  };
}

function listen(child: ChildProcess, start: ControllerStart): { address: Promise<string>; last: string[] } {
  const log = createWriteStream(start.logFile, { flags: 'a' });
  const last: string[] = [];
  const address = new Promise<string>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) continue;
      createInterface({ input: stream }).on('line', (line) => {
        log.write(`${line}\n`);
        last.push(line);
        if (last.length > 20) last.shift();
        const fields = jsonOf(line);
        if (fields === undefined) return;
        if (fields['msg'] === 'listening' && typeof fields['address'] === 'string') resolve(fields['address']);
        start.onLog?.(fields);
      });
    }
  });
  child.once('exit', () => log.end());
  return { address, last };
}

async function endedEarly(child: ChildProcess, start: ControllerStart, last: readonly string[]): Promise<never> {
  await once(child, 'exit');
  throw new Error(`The ${start.name} controller ended at its start:\n${last.join('\n')}`);
}

async function untilHealthy(address: string): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const isHealthy = await fetch(`${address}/healthz`).then(
      (response) => response.ok,
      () => false,
    );
    if (isHealthy) return;
    await delay(25);
  }
  throw new Error(`${address}/healthz did not answer`);
}

async function stop(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
  return child.exitCode;
}

function jsonOf(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    // Not every line of a process is ours: Node's own warnings are plain text, and stay in the log file.
    return undefined;
  }
}
