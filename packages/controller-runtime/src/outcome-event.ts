import type { KubeObject } from '@buildkeeper/kube-client';
import { conditionOf } from './conditions.ts';
import { readStatus } from './object-status.ts';
import type { Outcome } from './outcome.ts';

/** An Event about an object, in the words of events.k8s.io/v1. */
export interface OutcomeEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly note: string;
  readonly action: string;
}

/** What an Event is told with. */
export interface EventInputs {
  /** The object before the outcome: its UpToDate condition says what was told last. */
  readonly object: KubeObject;
  readonly attempts: number;
  /** Since the first failure; undefined when there was none. */
  readonly outageMs: number | undefined;
}

/** The Event of an outcome, under `event`; nothing when the outcome is the one that was told before. Pure. */
export function outcomeEvent(outcome: Outcome<object>, inputs: EventInputs): { event?: OutcomeEvent } {
  const before = conditionOf(readStatus(inputs.object.status).conditions, 'UpToDate');
  const event = describe(outcome, inputs);
  const isSame = before?.reason === event.reason || (before?.status === 'True' && outcome.kind === 'ready');
  return isSame ? {} : { event };
}

function describe(outcome: Outcome<object>, { attempts, outageMs }: EventInputs): OutcomeEvent {
  const action = 'Reconcile';
  switch (outcome.kind) {
    case 'ready':
      return { type: 'Normal', reason: 'Succeeded', note: successNote(attempts, outageMs), action };
    case 'waiting':
      return { type: 'Normal', reason: 'DependencyNotReady', note: outcome.message, action };
    case 'failed':
      return { type: 'Warning', reason: outcome.failure.reason, note: outcome.failure.message, action };
  }
}

function successNote(attempts: number, outageMs: number | undefined): string {
  if (outageMs === undefined) return 'Up to date';
  const outage = `Up to date again after ${outageText(outageMs)}`;
  // Those before a new spec are not counted any more.
  if (attempts === 0) return outage;
  return `${outage} and ${attempts === 1 ? '1 failed attempt' : `${attempts} failed attempts`}`;
}

function outageText(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const parts = [`${Math.floor(seconds / 3600)}h`, `${Math.floor((seconds % 3600) / 60)}m`, `${seconds % 60}s`];
  const text = parts.filter((part) => !/^0\D/.test(part)).join('');
  return text === '' ? 'less than a second' : text;
}
