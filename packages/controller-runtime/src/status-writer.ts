import {
  objectKey,
  type KubeClient,
  type KubeObject,
  type ObjectStore,
  type ResourceType,
} from '@buildkeeper/kube-client';
import type { ControllerObserver } from '@buildkeeper/metrics';
import { failureOf, type Clock, type Failure } from '@buildkeeper/retry-policy';
import { attempt } from './attempt.ts';
import type { Leadership } from './leader-election.ts';
import { mergePatch } from './merge-patch.ts';
import { isRecord } from './object-status.ts';
import { unansweredFailure } from './own-failures.ts';

/** What became of a status. */
export type WriteResult =
  | { readonly kind: 'written' }
  /** Nothing differed, so nothing was sent. */
  | { readonly kind: 'unchanged' }
  /** The object is gone, from the server and from the store. */
  | { readonly kind: 'gone' }
  /** The term is over: we may not write any more. */
  | { readonly kind: 'stopped' }
  | { readonly kind: 'failed'; readonly failure: Failure | undefined; readonly error: unknown };

/** What a status is written with. */
export interface StatusWriterDeps {
  readonly kube: KubeClient;
  readonly resource: ResourceType;
  readonly store: ObjectStore<KubeObject>;
  readonly leadership: Leadership;
  readonly clock: Clock;
  readonly observer: ControllerObserver;
}

/** One patch may not hold a worker longer, however long the Lease still runs. */
const longestWriteMs = 5000;

/**
 * Brings the status of an object to `status` with at most one patch, which fails when the object was changed since
 * it was read, and puts the answer into the store. The only function that writes a status; never throws.
 */
export async function writeStatus(object: KubeObject, status: object, deps: StatusWriterDeps): Promise<WriteResult> {
  const patch = mergePatch(isRecord(object.status) ? object.status : {}, status);
  if (patch === undefined) return { kind: 'unchanged' };
  const body = { metadata: { resourceVersion: object.metadata.resourceVersion }, status: patch };
  // Asked last of all: after this only the wire stands between us and the server.
  const timeoutMs = Math.min(deps.leadership.remainingMs(), longestWriteMs);
  if (timeoutMs <= 0) return unanswered(0, deps);
  const sent = await attempt((signal) => deps.kube.patchStatus(deps.resource, nameOf(object), body, signal), {
    timeoutMs,
    signal: deps.leadership.signal,
    clock: deps.clock,
  });
  if (sent.kind === 'stopped') return { kind: 'stopped' };
  if (sent.kind === 'timedOut') return unanswered(sent.afterMs, deps);
  if (sent.kind === 'threw') return refused(object, sent.error, deps);
  deps.store.put(sent.value, object);
  deps.observer.statusWritten('success');
  return { kind: 'written' };
}

/** A term is over when its signal says so: one answer that is late says nothing of the renewals beside it. */
function unanswered(afterMs: number, { leadership, observer }: StatusWriterDeps): WriteResult {
  if (leadership.signal.aborted) return { kind: 'stopped' };
  observer.statusWritten('error');
  const failure = unansweredFailure(afterMs);
  return { kind: 'failed', failure, error: new Error(failure.message) };
}

function refused(object: KubeObject, error: unknown, { store, observer }: StatusWriterDeps): WriteResult {
  const failure = failureOf(error);
  const isMissing = failure?.class === 'notFound';
  if (isMissing && store.get(objectKey(object))?.metadata.uid !== object.metadata.uid) return { kind: 'gone' };
  observer.statusWritten(failure?.class === 'conflict' ? 'conflict' : 'error');
  // Of an object that is still there, a 404 tells no more than that the server is not itself.
  return { kind: 'failed', failure: isMissing ? { ...failure, class: 'transient' } : failure, error };
}

function nameOf({ metadata: { name, namespace } }: KubeObject) {
  return namespace === undefined ? { name } : { name, namespace };
}
