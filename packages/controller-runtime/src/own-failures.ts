import type { Failure, FailureClass, FailureReason } from '@buildkeeper/retry-policy';

/** We stopped the attempt ourselves. */
export const abortedFailure: Failure = ownFailure('aborted', 'Unknown', 'The attempt was stopped');

/** The attempt ran into its deadline. */
export function timeoutFailure(afterMs: number): Failure {
  return ownFailure('transient', 'ReconcileTimeout', `The reconcile did not end within ${afterMs / 1000} s`);
}

/** The API server left a write without an answer, or there was no time left to ask for one. */
export function unansweredFailure(afterMs: number): Failure {
  return ownFailure('transient', 'KubernetesAPIError', `The API server did not answer within ${afterMs / 1000} s`);
}

/** The failure of what nobody classified: its text stays in the log, for it may be anything. */
export function internalFailure(cause: unknown): Failure {
  return ownFailure('transient', 'Unknown', 'Internal error; see the controller log', cause);
}

/** The spec is what it is; only a change of it can help. */
export function invalidSpecFailure(message: string): Failure {
  return ownFailure('invalid', 'SpecInvalid', message);
}

function ownFailure(name: FailureClass, reason: FailureReason, message: string, cause?: unknown): Failure {
  return { class: name, scope: 'object', reason, evidence: 'none', inRequestRetry: 'never', message, cause };
}
