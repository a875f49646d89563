import type { KubeObject } from '@buildkeeper/kube-client';
import {
  backoffDelayMs,
  jitteredMs,
  nextAttemptDelayMs,
  type Failure,
  type FailureClass,
  type FailureReason,
  type ObjectPaces,
  type Random,
} from '@buildkeeper/retry-policy';
import { conditionsAfter, timestamp } from './conditions.ts';
import type { History } from './history.ts';
import { readStatus, type RetryStatus } from './object-status.ts';
import type { Outcome } from './outcome.ts';
import { outcomeEvent, type OutcomeEvent } from './outcome-event.ts';
import { requestOf } from './reconcile-request.ts';

/** What follows from one reconcile: all that is written, told and scheduled. */
export interface Summary {
  /** The whole status after it; undefined when nothing may be written: an abort, or a lost race for the object. */
  readonly status: Readonly<Record<string, unknown>> | undefined;
  /** When the object is looked at again; there is no "never". At most 24 h. */
  readonly requeueAfterMs: number;
  /** Only when the outcome is another one than before. */
  readonly event?: OutcomeEvent;
  readonly history: History;
  readonly observations: Observations;
}

/** What is counted of one reconcile. */
export interface Observations {
  /** Absent when nothing is counted: an abort. */
  readonly result?: 'success' | 'requeue_after' | 'error' | 'requeue';
  readonly isTerminal: boolean;
  readonly reason: FailureReason;
  readonly failure?: { readonly class: FailureClass; readonly reason: FailureReason };
  /** A delay after a failure was scheduled. */
  readonly retry?: { readonly reason: FailureReason; readonly delayMs: number };
  readonly recovery?: { readonly class: FailureClass; readonly outageMs: number };
}

/** What an outcome is summarised with. */
export interface SummaryInputs {
  /** The object as the reconcile saw it. */
  readonly object: KubeObject;
  /** Of this object: {@link historyFor} was applied. */
  readonly history: History;
  /** The delay that the last outcome had scheduled has run out: only then may the next one be longer. */
  readonly isDue: boolean;
  readonly nowMs: number;
  readonly paces: ObjectPaces;
  readonly refreshIntervalMs: number;
  readonly random: Random;
}

/** A dependency that changes wakes whoever waits on it; this is for the change that nobody saw. */
const safetyNetMs = 5 * 60 * 1000;

/** Draws the consequences of an outcome. Pure but for `random`, which gives the jitter. */
export function summarize(outcome: Outcome<object>, inputs: SummaryInputs): Summary {
  switch (outcome.kind) {
    case 'ready':
      return summarizeReady(outcome, inputs);
    case 'waiting':
      return summarizeWaiting(outcome, inputs);
    case 'failed':
      return summarizeFailed(outcome, outcome.failure, inputs);
  }
}

function summarizeReady(outcome: Outcome<object> & { kind: 'ready' }, inputs: SummaryInputs): Summary {
  const { history, nowMs } = inputs;
  const { lastFailure, firstFailureMs, attempts } = history;
  const outageMs = firstFailureMs === undefined ? undefined : Math.max(0, nowMs - firstFailureMs);
  return {
    ...written(outcome, outcome.status, inputs),
    requeueAfterMs: refreshDelayMs(inputs),
    ...outcomeEvent(outcome, { object: inputs.object, attempts, outageMs }),
    history: {
      ...observedNow(inputs),
      attempts: 0,
      exponent: undefined,
      firstFailureMs: undefined,
      nextAttemptMs: undefined,
      lastFailure: undefined,
      isWaiting: false,
      hasSucceeded: true,
    },
    observations: {
      result: 'success',
      isTerminal: false,
      reason: 'Succeeded',
      ...(lastFailure && outageMs !== undefined ? { recovery: { class: lastFailure.class, outageMs } } : {}),
    },
  };
}

function summarizeWaiting(outcome: Outcome<object> & { kind: 'waiting' }, inputs: SummaryInputs): Summary {
  const { paces, random, object, nowMs } = inputs;
  const isAuthPace = outcome.pace === 'auth';
  const exponent = isAuthPace ? nextExponent(inputs) : inputs.history.exponent;
  const delayMs = isAuthPace ? backoffDelayMs(paces.auth, exponent ?? 0, random) : jitteredMs(safetyNetMs, 0.1, random);
  return {
    ...written(outcome, { ...readStatus(object.status).resolved, ...outcome.status }, inputs),
    requeueAfterMs: delayMs,
    ...outcomeEvent(outcome, { object, attempts: 0, outageMs: undefined }),
    history: { ...observedNow(inputs), exponent, nextAttemptMs: nowMs + delayMs, isWaiting: true },
    observations: { result: 'requeue_after', isTerminal: false, reason: 'DependencyNotReady' },
  };
}

function summarizeFailed(
  outcome: Outcome<object> & { kind: 'failed' },
  failure: Failure,
  inputs: SummaryInputs,
): Summary {
  const { history, nowMs, object } = inputs;
  if (failure.class === 'aborted' || failure.class === 'conflict') return summarizeUnwritten(failure, inputs);
  // Seven refusals say nothing of how long a first 401 should be waited for.
  const isOtherClass = history.lastFailure !== undefined && history.lastFailure.class !== failure.class;
  const exponent = isOtherClass ? 0 : nextExponent(inputs);
  const delayMs = nextAttemptDelayMs(failure, exponent, inputs.paces, inputs.random);
  const attempts = history.attempts + 1;
  const firstFailureMs = history.firstFailureMs ?? nowMs;
  const judged = { class: failure.class, reason: failure.reason };
  const retry = retryStatus(failure, { attempts, firstFailureMs, nextAttemptMs: nowMs + delayMs });
  return {
    ...written(outcome, { ...readStatus(object.status).resolved, ...outcome.status }, inputs, retry),
    requeueAfterMs: delayMs,
    ...outcomeEvent(outcome, { object, attempts, outageMs: undefined }),
    history: {
      ...observedNow(inputs),
      attempts,
      exponent,
      firstFailureMs,
      nextAttemptMs: nowMs + delayMs,
      lastFailure: judged,
      isWaiting: false,
    },
    observations: {
      result: 'error',
      isTerminal: failure.class === 'invalid',
      reason: failure.reason,
      failure: judged,
      retry: { reason: failure.reason, delayMs },
    },
  };
}

/** Nothing was learnt about the object, so nothing is written, and its streak of failures is neither ended nor longer. */
function summarizeUnwritten(failure: Failure, inputs: SummaryInputs): Summary {
  const unwritten = { status: undefined, observations: { isTerminal: false, reason: failure.reason } };
  if (failure.class === 'aborted') return { ...unwritten, requeueAfterMs: 0, history: inputs.history };
  const exponent = nextExponent(inputs);
  const delayMs = nextAttemptDelayMs(failure, exponent, inputs.paces, inputs.random);
  const retry = { reason: failure.reason, delayMs };
  return {
    ...unwritten,
    requeueAfterMs: delayMs,
    history: { ...inputs.history, exponent },
    observations: { ...unwritten.observations, result: 'requeue', retry },
  };
}

/** At most one step for each delay that ran out: a storm of events that each try early must not lengthen the next delay. */
function nextExponent({ history, isDue }: SummaryInputs): number {
  return history.exponent === undefined ? 0 : history.exponent + (isDue ? 1 : 0);
}

function observedNow({ object, history }: SummaryInputs): History {
  return { ...history, uid: object.metadata.uid, generation: object.metadata.generation };
}

function written(
  outcome: Outcome<object>,
  resolved: object,
  { object, nowMs }: SummaryInputs,
  retry?: RetryStatus,
): Pick<Summary, 'status'> {
  const previous = readStatus(object.status);
  const request = requestOf(object) ?? previous.lastHandledReconcileAt;
  return {
    status: {
      ...resolved,
      ...(object.metadata.generation === undefined ? {} : { observedGeneration: object.metadata.generation }),
      ...(request === undefined ? {} : { lastHandledReconcileAt: request }),
      ...(retry === undefined ? {} : { retry }),
      conditions: conditionsAfter(outcome, { previous: previous.conditions, nowMs }),
    },
  };
}

function retryStatus(
  failure: Failure,
  streak: { attempts: number; firstFailureMs: number; nextAttemptMs: number },
): RetryStatus {
  const host = failure.origin?.replace(/^[a-z]+:\/\//, '');
  const waitingFor = { throttled: 'Throttle', invalid: 'Change' } as const;
  return {
    class: failure.class,
    reason: failure.reason,
    attempts: streak.attempts,
    firstFailureTime: timestamp(streak.firstFailureMs),
    // Rounded up to the second, so that no process after this one tries before its time.
    nextAttemptTime: timestamp(Math.ceil(streak.nextAttemptMs / 1000) * 1000),
    ...(host === undefined ? {} : { host }),
    waitingFor: failure.class === 'throttled' || failure.class === 'invalid' ? waitingFor[failure.class] : 'Backoff',
  };
}

/**
 * The interval, moved by a tenth either way. The first one in a process is a share of it that the uid decides, so that
 * a restart, which looks at everything, does not make everything due together for ever after.
 */
function refreshDelayMs({ history, object, refreshIntervalMs, random }: SummaryInputs): number {
  const share = history.hasSucceeded ? 1 : 0.1 + 0.9 * phaseOf(object.metadata.uid);
  return jitteredMs(refreshIntervalMs * share, 0.1, random);
}

/** A number in [0, 1) that is always the same for the same text, and spread evenly over different ones (FNV-1a). */
function phaseOf(text: string): number {
  let hash = 2_166_136_261;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 16_777_619);
  return (hash >>> 0) / 2 ** 32;
}
