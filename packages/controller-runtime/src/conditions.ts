import type { FailureReason } from '@buildkeeper/retry-policy';
import type { Outcome } from './outcome.ts';

/** A condition as it stands in a status. Other programs may have left out the reason. */
export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

/** What the conditions of an object are decided from, besides the outcome. */
export interface ConditionInputs {
  /** The conditions before; those of other types than ours are kept. */
  readonly previous: readonly Condition[];
  readonly nowMs: number;
}

/** The condition types that this package writes. Reconciling and Stalled are there only while they are True. */
const ownTypes: readonly string[] = ['Ready', 'UpToDate', 'Reconciling', 'Stalled'];

/**
 * The conditions after an outcome. `Ready` answers whether something usable stands in the status, `UpToDate` whether it
 * is what the spec asks for, freshly read. `lastTransitionTime` moves only with `status`. Pure.
 *
 * @see https://github.com/kubernetes-sigs/cli-utils/blob/master/pkg/kstatus/README.md for Reconciling and Stalled
 */
export function conditionsAfter(outcome: Outcome<object>, inputs: ConditionInputs): readonly Condition[] {
  const isUsable = conditionOf(inputs.previous, 'Ready')?.status === 'True';
  const wanted = [...mainConditions(outcome, isUsable), ...progressConditions(outcome)];
  const others = inputs.previous.filter((one) => !ownTypes.includes(one.type));
  return [...wanted.map((condition) => withTransitionTime(condition, inputs)), ...others];
}

/** The condition of that type, or undefined. */
export function conditionOf(conditions: readonly Condition[], type: string): Condition | undefined {
  return conditions.find((one) => one.type === type);
}

/** Kubernetes writes times to the second. */
export function timestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

function mainConditions(outcome: Outcome<object>, wasUsable: boolean): readonly Condition[] {
  const good = (type: string) => condition(type, 'True', 'Succeeded');
  if (outcome.kind === 'ready') return [good('Ready'), good('UpToDate')];
  const { reason, message } = explanation(outcome);
  if (wasUsable || (outcome.kind === 'failed' && outcome.isUsable === true)) {
    return [good('Ready'), condition('UpToDate', 'False', reason, message)];
  }
  const status = outcome.kind === 'waiting' ? 'Unknown' : 'False';
  return [condition('Ready', status, reason, message), condition('UpToDate', status, reason, message)];
}

function progressConditions(outcome: Outcome<object>): readonly Condition[] {
  if (outcome.kind === 'ready') return [];
  const { reason, message } = explanation(outcome);
  const isStalled = outcome.kind === 'failed' && outcome.failure.class === 'invalid';
  return [condition(isStalled ? 'Stalled' : 'Reconciling', 'True', reason, message)];
}

function explanation(outcome: Exclude<Outcome<object>, { kind: 'ready' }>): { reason: FailureReason; message: string } {
  if (outcome.kind === 'failed') return { reason: outcome.failure.reason, message: outcome.failure.message };
  return { reason: 'DependencyNotReady', message: outcome.message };
}

function condition(type: string, status: Condition['status'], reason: FailureReason, message?: string): Condition {
  return { type, status, reason, ...(message === undefined ? {} : { message }) };
}

function withTransitionTime(condition: Condition, { previous, nowMs }: ConditionInputs): Condition {
  const before = conditionOf(previous, condition.type);
  const hasMoved = before?.status !== condition.status;
  const lastTransitionTime = hasMoved ? timestamp(nowMs) : (before.lastTransitionTime ?? timestamp(nowMs));
  return { ...condition, lastTransitionTime };
}
