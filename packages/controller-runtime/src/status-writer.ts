import type { KubeClient, KubeObject, ObjectStore, ResourceType } from '@buildkeeper/kube-client';
import type { ControllerObserver } from '@buildkeeper/metrics';
import { failureOf, type Clock, type Failure } from '@buildkeeper/retry-policy';
import { attempt } from './attempt.ts';
import type { Leadership } from './leader-election.ts';
import { mergePatch } from './merge-patch.ts';
import { isRecord } from './object-status.ts';

/** What became of a status. */
export type WriteResult =
  | { readonly kind: 'written' }
  /** Nothing differed, so nothing was sent. */
  | { readonly kind: 'unchanged' }
  /** The object is gone. */
  | { readonly kind: 'gone' }
  /** We may not write any more. */
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

/**
 * Brings the status of an object to `status` with at most one patch, which fails when the object was changed since
 * it was read, and puts the answer into the store. The only function that writes a status; never throws.
 */
export async function writeStatus(object: KubeObject, status: object, deps: StatusWriterDeps): Promise<WriteResult> {
  const patch = mergePatch(isRecord(object.status) ? object.status : {}, status);
  if (patch === undefined) return { kind: 'unchanged' };
  const body = { metadata: { resourceVersion: object.metadata.resourceVersion }, status: patch };
  // Asked last of all: after this only the wire stands between us and the server.
  const timeoutMs = deps.leadership.remainingMs();
  if (timeoutMs <= 0) return { kind: 'stopped' };
  const sent = await attempt((signal) => deps.kube.patchStatus(deps.resource, nameOf(object), body, signal), {
    timeoutMs,
    signal: deps.leadership.signal,
    clock: deps.clock,
  });
  if (sent.kind === 'stopped' || sent.kind === 'timedOut') return { kind: 'stopped' };
  if (sent.kind === 'threw') return refused(sent.error, deps);
  deps.store.put(sent.value, object);
  deps.observer.statusWritten('success');
  return { kind: 'written' };
}

function refused(error: unknown, { observer }: StatusWriterDeps): WriteResult {
  const failure = failureOf(error);
  if (failure?.class === 'notFound') return { kind: 'gone' };
  observer.statusWritten(failure?.class === 'conflict' ? 'conflict' : 'error');
  return { kind: 'failed', failure, error };
}

function nameOf({ metadata: { name, namespace } }: KubeObject) {
  return namespace === undefined ? { name } : { name, namespace };
}
