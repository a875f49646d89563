import { KubeError, objectKey, type KubeClient, type KubeObject, type RecordedEvent } from '@buildkeeper/kube-client';
import { createMetrics } from '@buildkeeper/metrics';
import { ManualClock } from '@buildkeeper/retry-policy';
import { isRecord } from '../object-status.ts';
import { ObjectMemory } from '../object-memory.ts';
import { readCommand } from '../settings.ts';
import { Triggers } from '../triggers.ts';
import { WorkQueue } from '../work-queue.ts';
import { runWorker } from '../worker.ts';
import { createListStore } from './list-store.ts';
import { createRecordedLog } from './recorded-log.ts';
import { widgetController, type Verdict } from './runtime-rig.ts';
import { failure, widgetResource, type Widget } from './widget.ts';

/** How the rig differs from the usual one. */
export interface WorkerRigOptions {
  readonly argv?: readonly string[];
  readonly random?: () => number;
  readonly workers?: number;
}

/** The workers of one term over objects in memory, on a clock that the test moves. */
export function startWorkerRig(objects: readonly Widget[], verdict: Verdict, options: WorkerRigOptions = {}) {
  const command = readCommand({ argv: options.argv ?? [], env: {}, readFile: () => '' });
  if (command.kind !== 'run') throw new Error(JSON.stringify(command));
  const clock = new ManualClock(Date.UTC(2026, 0, 1));
  const metrics = createMetrics({ controllers: ['widget'], version: '0', hasProcessMetrics: false });
  const observer = metrics.observerFor('widget');
  const store = createListStore(objects);
  const queue = new WorkQueue({ clock, observer: observer.queue });
  const [stop, lost] = [new AbortController(), new AbortController()];
  const { log, lines } = createRecordedLog();
  const server = { patches: [] as object[], refusal: undefined as KubeError | undefined };
  const events: RecordedEvent[] = [];
  const deps = {
    definition: widgetController(verdict),
    dependencies: createListStore([]),
    resource: widgetResource,
    store,
    queue,
    memory: new ObjectMemory(),
    kube: patchingClient(store, server),
    events: { record: (_: unknown, event: RecordedEvent) => Promise.resolve(void events.push(event)) },
    leadership: { signal: lost.signal, remainingMs: () => (lost.signal.aborted ? 0 : 60_000) },
    settings: command.settings,
    clock,
    random: options.random ?? (() => 0.5),
    observer,
    log,
  };
  const triggers = new Triggers(deps);
  const taking = AbortSignal.any([stop.signal, lost.signal]);
  const ended = Promise.all(Array.from({ length: options.workers ?? 2 }, () => runWorker(deps, taking)));
  triggers.planAll();
  return {
    ...{ clock, store, queue, triggers, server, events, lines, lost },
    scrape: async () => (await metrics.render()).body,
    async stop() {
      stop.abort();
      lost.abort();
      await clock.advance(0);
      await ended;
      queue.close();
    },
  };
}

/** A client that can only patch a status, in a store that stands for the server as well. */
function patchingClient(
  store: ReturnType<typeof createListStore>,
  server: { patches: object[]; refusal: KubeError | undefined },
): KubeClient {
  const patchStatus = (_: unknown, name: { name: string; namespace?: string }, patch: object): Promise<KubeObject> => {
    server.patches.push(patch);
    if (server.refusal !== undefined) return Promise.reject(server.refusal);
    const found = store.get(objectKey(name));
    if (found === undefined) return Promise.reject(new KubeError(failure({ class: 'notFound', httpStatus: 404 })));
    const resourceVersion = String(Number(found.metadata.resourceVersion) + 1);
    const status = merged(found.status, (patch as { status: object }).status);
    return Promise.resolve({ ...found, metadata: { ...found.metadata, resourceVersion }, status });
  };
  return { patchStatus } as unknown as KubeClient;
}

function merged(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const entries = Object.entries({ ...(isRecord(target) ? target : {}), ...patch }).flatMap(([name, value]) => {
    if (!(name in patch)) return [[name, value]];
    return value === null ? [] : [[name, merged(isRecord(target) ? target[name] : undefined, value)]];
  });
  return Object.fromEntries(entries);
}
