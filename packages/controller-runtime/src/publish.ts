import { apiVersionOf, objectKey, type KubeObject } from '@buildkeeper/kube-client';
import { nextAttemptDelayMs, type Failure } from '@buildkeeper/retry-policy';
import type { PendingWrite } from './object-memory.ts';
import { internalFailure } from './own-failures.ts';
import { requestOf } from './reconcile-request.ts';
import { writeStatus, type WriteResult } from './status-writer.ts';
import type { Summary } from './summarize.ts';
import type { WorkerDeps } from './worker-deps.ts';

/**
 * Tells the world what a reconcile came to: status, Event, next look. A status that cannot be written now is kept and
 * written later, so that neither the outcome nor its next look is lost. Answers when the object comes up again.
 */
export async function publish(object: KubeObject, summary: Summary, deps: WorkerDeps): Promise<number> {
  const dueMs = deps.clock.monotonicMs() + summary.requeueAfterMs;
  return publishWrite(object, { ...identityOf(object), summary, dueMs, failures: 0 }, deps);
}

/**
 * Writes the status that an earlier attempt could not write, if it still is what the object asks for. Answers whether
 * it did, or tried.
 */
export async function publishPending(object: KubeObject, deps: WorkerDeps): Promise<boolean> {
  const key = objectKey(object);
  const pending = deps.memory.pendingWrite(key);
  if (pending === undefined || deps.memory.hasChangedInput(key)) return false;
  const { uid, generation, request } = identityOf(object);
  if (pending.uid !== uid || pending.generation !== generation || pending.request !== request) return false;
  await publishWrite(object, pending, deps);
  return true;
}

async function publishWrite(object: KubeObject, write: PendingWrite, deps: WorkerDeps): Promise<number> {
  const { status, event } = write.summary;
  const result = status === undefined ? { kind: 'unchanged' as const } : await writeStatus(object, status, deps);
  const requeueAfterMs = settle(object, write, result, deps);
  // The one way out: whatever became of the write, the object comes up again.
  deps.queue.addAfter(objectKey(object), requeueAfterMs);
  if ((result.kind === 'written' || result.kind === 'unchanged') && event !== undefined) {
    // Items of a list carry no kind of their own.
    const typed = { ...object, apiVersion: apiVersionOf(deps.resource), kind: deps.resource.kind };
    await deps.events.record(typed, event, deps.leadership.signal);
  }
  return requeueAfterMs;
}

/** Keeps or drops a write by what became of it. Answers when the object comes up again. */
function settle(object: KubeObject, write: PendingWrite, result: WriteResult, deps: WorkerDeps): number {
  deps.memory.setPendingWrite(objectKey(object), undefined);
  const remainingMs = Math.max(0, write.dueMs - deps.clock.monotonicMs());
  switch (result.kind) {
    case 'written':
    case 'unchanged':
      return remainingMs;
    case 'failed':
      return Math.min(remainingMs, keepWrite(object, write, result, deps));
    // The look finds what took the object's name, or nothing.
    case 'gone':
    // Nobody takes from the queue of a term that is over.
    case 'stopped':
      return 0;
  }
}

/** Keeps what could not be written. Answers when to try again: a lost race at once and a little later each time. */
function keepWrite(
  object: KubeObject,
  write: PendingWrite,
  { failure = internalFailure(undefined), error }: { failure?: Failure | undefined; error: unknown },
  deps: WorkerDeps,
): number {
  const delayMs = nextAttemptDelayMs(failure, write.failures, deps.settings.paces, deps.random);
  deps.memory.setPendingWrite(objectKey(object), { ...write, failures: write.failures + 1 });
  deps.observer.retryScheduled({ layer: 'reconcile', reason: failure.reason, delayMs });
  const fields = { controller: deps.definition.name, object: objectKey(object), reason: failure.reason };
  if (failure.class === 'conflict') deps.log.debug(fields, 'The object changed meanwhile; its status is written again');
  else deps.log.warn({ ...fields, err: error }, 'The status cannot be written');
  return delayMs;
}

function identityOf(object: KubeObject) {
  const { uid, generation } = object.metadata;
  return { uid, generation, request: requestOf(object) };
}
