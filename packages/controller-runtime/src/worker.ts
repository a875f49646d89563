import { objectKey, type KubeObject } from '@buildkeeper/kube-client';
import { attempt } from './attempt.ts';
import { isPanic, outcomeOf } from './error-policy.ts';
import { readStatus } from './object-status.ts';
import { isRequested } from './reconcile-request.ts';
import { publish, publishPending } from './publish.ts';
import { summarize, type Observations, type Summary } from './summarize.ts';
import type { WorkItem } from './work-queue.ts';
import type { WorkerDeps } from './worker-deps.ts';

/** Takes keys and reconciles their objects, one at a time, until `stop` aborts; what it has begun it ends first. */
export async function runWorker(deps: WorkerDeps, stop: AbortSignal): Promise<void> {
  for (;;) {
    const item = await deps.queue.take(stop).catch(() => undefined);
    if (item === undefined) return;
    await reconcileItem(item, deps)
      .catch((error: unknown) => {
        surrender(item, error, deps);
      })
      .finally(() => {
        deps.queue.done(item.key);
      });
  }
}

/** A defect in the frame itself, or a status that is no JSON: one object must not end the work on all the others. */
function surrender(
  { key }: WorkItem,
  error: unknown,
  { queue, observer, settings, log, definition }: WorkerDeps,
): void {
  observer.reconcilePanicked();
  log.error({ controller: definition.name, object: key, err: error }, 'The reconcile could not be finished');
  queue.addAfter(key, settings.paces.transient.maxDelayMs);
}

async function reconcileItem(item: WorkItem, deps: WorkerDeps): Promise<void> {
  const { key } = item;
  const { queue, memory, clock } = deps;
  const object = deps.store.get(key);
  if (object === undefined || object.metadata.deletionTimestamp !== undefined) {
    memory.forget(key);
    return;
  }
  // The delay that ran out may be that of a write alone.
  const isOwnDelay = item.isDue && clock.monotonicMs() >= (memory.pendingWrite(key)?.dueMs ?? -Infinity);
  if (item.isDue && !isOwnDelay && (await publishPending(object, deps))) return;
  const { lastFailure, isWaiting, nextAttemptMs = -Infinity } = memory.historyOf(key, object);
  const earlyMs = isOwnDelay ? 0 : nextAttemptMs - clock.nowMs();
  // The server named a time; nothing but a person's request, or another spec, goes before it.
  const isHeldBack = lastFailure?.class === 'throttled' && !isWaiting && !isRequested(object);
  if (earlyMs > 0 && isHeldBack) queue.addAfter(key, earlyMs);
  else await reconcileObject(object, { key, isDue: earlyMs <= 0 }, deps);
}

async function reconcileObject(object: KubeObject, { key, isDue }: WorkItem, deps: WorkerDeps): Promise<void> {
  const { clock, observer, memory, settings, definition } = deps;
  const startedMs = clock.monotonicMs();
  observer.reconcileStarted();
  memory.lookBegins(key);
  const context = { nowMs: clock.nowMs(), isRequested: isRequested(object) };
  const ended = await attempt((signal) => definition.reconcile(object, deps.dependencies, { ...context, signal }), {
    timeoutMs: settings.reconcileTimeoutMs,
    signal: deps.leadership.signal,
    clock,
  });
  const summary = summarize(outcomeOf(ended), {
    object,
    // Read after the attempt: an input that changed meanwhile has reset it.
    history: memory.historyOf(key, object),
    isDue,
    nowMs: clock.nowMs(),
    paces: settings.paces,
    refreshIntervalMs: settings.refreshIntervalMs,
    random: deps.random,
  });
  if (isPanic(ended) && ended.kind === 'threw') {
    observer.reconcilePanicked();
    deps.log.error(
      { controller: definition.name, object: key, err: ended.error },
      'The reconcile threw what nobody classified',
    );
  }
  if (ended.kind === 'timedOut') observer.reconcileTimedOut();
  memory.remember(key, summary.history);
  memory.setPendingWrite(key, undefined);
  const durationMs = clock.monotonicMs() - startedMs;
  observe(summary.observations, durationMs, deps);
  const requeueAfterMs = await publish(object, summary, deps);
  logLine(object, summary, { durationMs, requeueAfterMs }, deps);
}

function observe(seen: Observations, durationMs: number, { observer }: WorkerDeps): void {
  const { result, isTerminal, failure, retry, recovery } = seen;
  observer.reconcileFinished({ ...(result === undefined ? {} : { result }), isTerminal, durationMs });
  if (failure !== undefined) observer.failed(failure);
  if (retry !== undefined) observer.retryScheduled({ layer: 'reconcile', ...retry });
  if (recovery !== undefined) observer.recovered(recovery);
}

function logLine(
  object: KubeObject,
  { observations, status }: Summary,
  times: { durationMs: number; requeueAfterMs: number },
  deps: WorkerDeps,
): void {
  const { result, reason } = observations;
  const upToDate = readStatus(status).conditions.find((one) => one.type === 'UpToDate');
  const fields = {
    controller: deps.definition.name,
    object: objectKey(object),
    outcome: result === undefined ? 'aborted' : outcomeWords[result],
    reason,
    durationMs: Math.round(times.durationMs),
    requeueAfterMs: Math.round(times.requeueAfterMs),
    ...(upToDate?.message === undefined ? {} : { message: upToDate.message }),
  };
  deps.log[result === 'error' ? 'warn' : 'info'](fields, 'reconciled');
}

const outcomeWords = { success: 'ready', requeue_after: 'waiting', error: 'failed', requeue: 'conflict' } as const;
