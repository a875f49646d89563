import { failureOf, type Failure } from '@buildkeeper/retry-policy';
import type { Attempt } from './attempt.ts';
import type { Outcome } from './outcome.ts';
import { abortedFailure, internalFailure, timeoutFailure } from './own-failures.ts';

/**
 * The outcome of an attempt, whichever way it ended. Pure. What nobody classified is a defect of ours: it is tried
 * again like an outage, because a defect must not park an object, and its text stays in the log.
 */
export function outcomeOf<S extends object>(attempt: Attempt<Outcome<S>>): Outcome<S> {
  switch (attempt.kind) {
    case 'done':
      return isStrayAbort(attempt.value) ? { kind: 'failed', failure: internalFailure(undefined) } : attempt.value;
    case 'stopped':
      return { kind: 'failed', failure: abortedFailure };
    case 'timedOut':
      return { kind: 'failed', failure: timeoutFailure(attempt.afterMs) };
    case 'threw':
      return { kind: 'failed', failure: judgedFailure(attempt.error) ?? internalFailure(attempt.error) };
  }
}

/** Whether the attempt ended in a way that no adapter knew. */
export function isPanic(attempt: Attempt<unknown>): boolean {
  return attempt.kind === 'threw' && judgedFailure(attempt.error) === undefined;
}

function judgedFailure(error: unknown): Failure | undefined {
  const failure = failureOf(error);
  return failure?.class === 'aborted' ? undefined : failure;
}

/** An abort that we did not ask for is no stop of ours, and would be tried again without any delay. */
function isStrayAbort(outcome: Outcome<object>): boolean {
  return outcome.kind === 'failed' && outcome.failure.class === 'aborted';
}
