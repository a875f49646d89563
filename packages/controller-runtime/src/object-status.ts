import { failureClasses, failureReasons, type FailureClass, type FailureReason } from '@buildkeeper/retry-policy';
import type { Condition } from './conditions.ts';

/** What stands in `status.retry` while an object fails. */
export interface RetryStatus {
  readonly class: FailureClass;
  readonly reason: FailureReason;
  /** Failed tries in a row of this spec. */
  readonly attempts: number;
  readonly firstFailureTime: string;
  readonly nextAttemptTime: string;
  /** Host and port that was dialled. */
  readonly host?: string;
  readonly waitingFor: 'Backoff' | 'Registry' | 'Throttle' | 'Change';
}

/** The runtime's part of a status, as far as it can be understood. */
export interface ObjectStatus {
  readonly conditions: readonly Condition[];
  readonly retry: RetryStatus | undefined;
  readonly observedGeneration: number | undefined;
  readonly lastHandledReconcileAt: string | undefined;
  /** The rest: what the reconcile of the kind resolved. */
  readonly resolved: Readonly<Record<string, unknown>>;
}

/** Reads a status that any program may have written: what is malformed counts as absent. Never throws. */
export function readStatus(status: unknown): ObjectStatus {
  const { conditions, retry, observedGeneration, lastHandledReconcileAt, ...resolved } = isRecord(status) ? status : {};
  return {
    conditions: Array.isArray(conditions) ? conditions.filter(isCondition) : [],
    retry: isRetryStatus(retry) ? retry : undefined,
    observedGeneration: typeof observedGeneration === 'number' ? observedGeneration : undefined,
    lastHandledReconcileAt: typeof lastHandledReconcileAt === 'string' ? lastHandledReconcileAt : undefined,
    resolved,
  };
}

/** Whether a value is a JSON object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isCondition(value: unknown): value is Condition {
  return isRecord(value) && typeof value['type'] === 'string' && typeof value['status'] === 'string';
}

function isRetryStatus(value: unknown): value is RetryStatus {
  if (!isRecord(value)) return false;
  const hasWords = isOneOf(failureClasses, value['class']) && isOneOf(failureReasons, value['reason']);
  return (
    hasWords &&
    Number.isInteger(value['attempts']) &&
    isTime(value['firstFailureTime']) &&
    isTime(value['nextAttemptTime'])
  );
}

function isOneOf(words: readonly string[], value: unknown): boolean {
  return typeof value === 'string' && words.includes(value);
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value));
}
