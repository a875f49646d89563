import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSystemClock, createSystemRandom } from '@buildkeeper/retry-policy';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ready } from './outcome.ts';
import { runProcess, type ProcessEvent } from './run-process.ts';
import { eventually, startRuntimeRig, widgetController, type RuntimeRig } from './testing/runtime-rig.ts';

let rig: RuntimeRig;
const folder = mkdtempSync(join(tmpdir(), 'run-process-'));
const kubeconfig = join(folder, 'kubeconfig');
beforeAll(async () => {
  rig = await startRuntimeRig();
  writeFileSync(kubeconfig, rig.api.kubeconfig());
});
afterAll(async () => {
  await rig.close();
  rmSync(folder, { recursive: true });
});

/** A process that takes as long over a widget as its spec says. */
function start(...argv: string[]) {
  const listeners = new Map<ProcessEvent, (value: unknown) => void>();
  const exit = Promise.withResolvers<number>();
  const written = { output: '', errors: '', log: '' };
  const begun = Promise.withResolvers<undefined>();
  const controller = widgetController(async ({ spec }, { signal }) => {
    begun.resolve(undefined);
    await createSystemClock().sleep(Number(spec.image ?? 0), signal);
    return ready({ latestImage: spec.image });
  });
  const ended = runProcess([controller], {
    argv: ['node', '/app/widget.mjs', ...argv],
    env: { BUILDKEEPER_VERSION: '1.2.3' },
    nodeVersion: '24.0.0',
    clock: createSystemClock(),
    random: createSystemRandom(),
    logDestination: { write: (text) => void (written.log += text) },
    writeOutput: (text) => void (written.output += text),
    writeError: (text) => void (written.errors += text),
    on: (event, listener) => void listeners.set(event, listener),
    exit: (code) => {
      exit.resolve(code);
    },
  });
  const lines = () =>
    written.log
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  const has = (msg: string) => lines().some((line) => line['msg'] === msg);
  return {
    exited: exit.promise,
    begun: begun.promise,
    ended,
    written,
    lines,
    has,
    tell: (event: ProcessEvent, value: unknown) => listeners.get(event)?.(value),
  };
}
const startOnCluster = (...argv: string[]) => start('--kubeconfig', kubeconfig, '--http-address=127.0.0.1:0', ...argv);

describe('runProcess', () => {
  it('logs its address, ends on SIGTERM what it has begun, and exits with 0', async () => {
    const process = startOnCluster();
    await eventually(() => process.has('leading'));
    const { address } = process.lines().find(({ msg }) => msg === 'listening') as { address: string };
    expect(await (await fetch(`${address}/metrics`)).text()).toContain(
      'buildkeeper_build_info{version="1.2.3",revision="",node="24.0.0"} 1',
    );
    await rig.createWidget('slow', { image: '200' });
    await process.begun;
    process.tell('SIGTERM', 'SIGTERM');
    expect(await process.exited).toBe(0);
    expect((await rig.widget('slow')).status).toMatchObject({ latestImage: '200' });
    expect(
      process
        .lines()
        .slice(-3)
        .map(({ msg }) => msg),
    ).toEqual(['stopping', 'reconciled', 'stopped']);
  });

  it('exits at once on a second signal', async () => {
    const process = startOnCluster('--leader-elect-namespace=kube-system');
    await eventually(() => process.has('leading'));
    await rig.createWidget('endless', { image: '1500' });
    await process.begun;
    process.tell('SIGINT', 'SIGINT');
    process.tell('SIGTERM', 'SIGTERM');
    expect(await process.exited).toBe(1);
    expect(process.has('stopped')).toBe(false);
    await process.ended;
  });

  it.each(['unhandledRejection', 'uncaughtException'] as const)('logs an %s and exits with 1', async (event) => {
    const process = startOnCluster('--leader-elect=false');
    await eventually(() => process.has('listening'));
    process.tell(event, new TypeError('nobody caught this'));
    expect(await process.exited).toBe(1);
    const line = process.lines().find(({ msg }) => msg === event);
    expect(line).toMatchObject({ level: 'error', err: { message: 'nobody caught this' } });
    process.tell('SIGTERM', 'SIGTERM');
    await process.ended;
  });

  it.each([
    {
      because: 'flags are wrong',
      argv: ['--workers=0', '--nonsense'],
      says: ['--workers: 0 is not between', '--nonsense: there'],
    },
    {
      because: 'there is no cluster',
      argv: ['--controllers=gizmo'],
      says: ['No cluster to talk to', 'gizmo is not among widget'],
    },
    { because: 'there is no such context', argv: ['--kubeconfig', kubeconfig, '--context=none'], says: ['none'] },
  ])('exits with 2 when $because, and says so', async ({ argv, says }) => {
    const process = start(...argv);
    expect(await process.exited).toBe(2);
    for (const one of says) expect(process.written.errors).toContain(one);
    expect(process.written.log).toBe('');
  });

  it('exits with 1 when its address is taken', async () => {
    const process = startOnCluster(`--http-address=127.0.0.1:${rig.api.port}`);
    expect(await process.exited).toBe(1);
    expect(process.written.log).toContain('EADDRINUSE');
  });

  it.each([
    { argv: ['--help'], says: 'Usage: widget.mjs [flags]' },
    { argv: ['--print-config', '--retry-max=2m'], says: 'retry-max: 2m' },
  ])('prints what $argv asks for', async ({ argv, says }) => {
    const process = start(...argv);
    await process.ended;
    expect(process.written.output).toContain(says);
  });
});
