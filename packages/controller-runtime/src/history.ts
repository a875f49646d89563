import type { KubeObject } from '@buildkeeper/kube-client';
import {
  maxDelayMs,
  retryAfterRangeMs,
  type FailureClass,
  type FailureReason,
  type ObjectPaces,
} from '@buildkeeper/retry-policy';
import { readStatus } from './object-status.ts';
import { isRequested } from './reconcile-request.ts';

/** What is remembered of an object between its reconciles. The failing part stands in `status.retry` as well. */
export interface History {
  readonly uid: string;
  /** Generation of the last outcome; undefined when there was none. */
  readonly generation: number | undefined;
  /** Failed tries in a row of this generation. */
  readonly attempts: number;
  /** Growth of the last delay. Undefined when the next one starts from the base again. */
  readonly exponent: number | undefined;
  readonly firstFailureMs: number | undefined;
  /** When the scheduled delay ends. */
  readonly nextAttemptMs: number | undefined;
  readonly lastFailure: { readonly class: FailureClass; readonly reason: FailureReason } | undefined;
  /** Whether the last outcome was a wait: its delay is no time that a server named. */
  readonly isWaiting: boolean;
  /** Whether it became ready in this process; the first refresh after that is spread over the interval. */
  readonly hasSucceeded: boolean;
}

/** The history that an object brings along, after a restart or a change of leader. */
export function historyFromStatus(object: KubeObject): History {
  const { retry, observedGeneration } = readStatus(object.status);
  return {
    uid: object.metadata.uid,
    generation: observedGeneration,
    attempts: retry?.attempts ?? 0,
    exponent: retry === undefined ? undefined : Math.max(0, retry.attempts - 1),
    firstFailureMs: retry === undefined ? undefined : Date.parse(retry.firstFailureTime),
    nextAttemptMs: retry === undefined ? undefined : Date.parse(retry.nextAttemptTime),
    lastFailure: retry === undefined ? undefined : { class: retry.class, reason: retry.reason },
    isWaiting: false,
    hasSucceeded: false,
  };
}

/** The history as it applies to the object now: another object of that name has none, a new spec starts afresh. */
export function historyFor(history: History | undefined, object: KubeObject): History {
  const known = history?.uid === object.metadata.uid ? history : historyFromStatus(object);
  if (known.generation === object.metadata.generation) return known;
  return { ...withBackoffReset(known), attempts: 0, nextAttemptMs: undefined };
}

/** The next delay starts from the base again: an input has changed. The count of attempts goes on. */
export function withBackoffReset(history: History): History {
  return { ...history, exponent: undefined };
}

/**
 * How long after a start an object may be looked at: at once, or at the end of the delay that a process before this
 * one had scheduled, which is never taken to be longer than its class permits, however wrong a clock was.
 */
export function firstLookDelayMs(object: KubeObject, options: { nowMs: number; paces: ObjectPaces }): number {
  const history = historyFor(undefined, object);
  if (history.nextAttemptMs === undefined || history.lastFailure === undefined || isRequested(object)) return 0;
  const longestMs = longestDelayMs(history.lastFailure, options.paces);
  return Math.min(longestMs, Math.max(0, history.nextAttemptMs - options.nowMs));
}

function longestDelayMs(failure: { class: FailureClass; reason: FailureReason }, paces: ObjectPaces): number {
  switch (failure.class) {
    case 'invalid':
      return Math.min(maxDelayMs, paces.invalidRecheckMs * 1.5);
    case 'throttled':
      return Math.max(paces.throttled.maxDelayMs, retryAfterRangeMs.max * 1.1);
    case 'transient':
      return failure.reason === 'TLSVerificationFailed' ? paces.tls.maxDelayMs : paces.transient.maxDelayMs;
    case 'auth':
      return paces.auth.maxDelayMs;
    case 'notFound':
      return paces.notFound.maxDelayMs;
    case 'conflict':
    case 'aborted':
      return paces.conflict.maxDelayMs;
  }
}
