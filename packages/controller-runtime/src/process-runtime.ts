import { once } from 'node:events';
import { createKubeClient, type KubeTarget } from '@buildkeeper/kube-client';
import { createMetrics } from '@buildkeeper/metrics';
import type { Clock, Random } from '@buildkeeper/retry-policy';
import { createCaBundle } from './ca-bundle.ts';
import type { AnyController } from './controller-definition.ts';
import { createController } from './controller.ts';
import { startHealthServer } from './health-server.ts';
import type { ElectionTimes } from './leader-election.ts';
import type { Logger } from './log.ts';
import type { Settings } from './settings.ts';

/** What a process of controllers is made of. */
export interface RuntimeOptions {
  readonly definitions: readonly AnyController[];
  readonly settings: Settings;
  readonly target: KubeTarget;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly readFile: (path: string) => string;
  /** Unique among all processes that stand for the same Leases. */
  readonly identity: string;
  readonly build: { readonly version: string; readonly revision: string; readonly node: string };
  readonly electionTimes?: ElectionTimes;
  /** How long work that was begun may go on after a stop before it is aborted; 8 s unless given. */
  readonly stopGraceMs?: number;
  /** Aborts when the process is to end. */
  readonly stop: AbortSignal;
}

/** Short of the ten seconds after which the process is ended whatever hangs. */
const defaultStopGraceMs = 8000;

/**
 * Runs controllers until `stop` aborts: the health server first, so that the process is seen to live at once, then
 * caches, election, workers. After the stop nothing new is begun, what was begun ends or is aborted after
 * its grace, and the Leases are given back. Rejects when the address cannot be had.
 */
export async function runControllers(options: RuntimeOptions): Promise<void> {
  const { definitions, settings, target, clock, random, log, stop, stopGraceMs = defaultStopGraceMs } = options;
  const controllers = definitions.map(({ name }) => name);
  const metrics = createMetrics({ controllers, registryHosts: namedHosts(settings), ...options.build });
  const abort = new AbortController();
  const caBundle = createCaBundle(settings.registry.registryCaFile, options);
  const running = definitions.map((definition) => {
    const observer = metrics.observerFor(definition.name);
    const userAgent = `buildkeeper-${definition.name}/${options.build.version}`;
    const kube = createKubeClient({ target, clock, random, observer: observer.kube, userAgent });
    const world = { ...options, kube, observer, caBundle, namespace: target.namespace, abort: abort.signal };
    return { kube, controller: createController(definition, world) };
  });
  const health = await startHealthServer(settings.httpAddress, {
    render: () => metrics.render(),
    notReadyReasons: () =>
      running.flatMap(({ controller }) => controller.unsyncedKinds()).map((kind) => `${kind} are not listed yet`),
  });
  log.info({ address: health.url }, 'listening');
  stop.addEventListener('abort', health.drain, { once: true });
  const ended = new AbortController();
  const grace = abortAfterGrace(abort, { stop, ended: ended.signal, clock, stopGraceMs });
  await Promise.all(running.map(({ controller }) => controller.run()));
  ended.abort();
  await grace;
  await Promise.all(running.map(({ kube }) => kube.close()));
  await health.close();
}

async function abortAfterGrace(
  abort: AbortController,
  { stop, ended, clock, stopGraceMs }: { stop: AbortSignal; ended: AbortSignal; clock: Clock; stopGraceMs: number },
): Promise<void> {
  if (!stop.aborted) await once(AbortSignal.any([stop, ended]), 'abort');
  await clock.sleep(stopGraceMs, ended).catch(() => undefined);
  abort.abort(new Error('The process stops'));
}

function namedHosts({ registry }: Settings): readonly string[] {
  return [...registry.plainHttpHosts, ...registry.skipTlsVerifyHosts, ...Object.keys(registry.overrides)];
}
