import type { FailureReason } from './reasons.ts';

/** All classes of failure, in the order in which documents and metrics list them. */
export const failureClasses = ['transient', 'throttled', 'auth', 'notFound', 'invalid', 'conflict', 'aborted'] as const;

/**
 * What a failure asks of whoever scheduled the attempt. No class means "never again": the class only decides how
 * soon the next attempt comes.
 *
 * - `transient`: will pass by itself; also every error that nobody could classify.
 * - `throttled`: the server asked for fewer requests.
 * - `auth`: credentials are missing, wrong, or without the right.
 * - `notFound`: the image does not exist, or not yet.
 * - `invalid`: the bytes or the spec are what they are; only a change of an input can help.
 * - `conflict`: somebody else wrote the same Kubernetes object first.
 * - `aborted`: we stopped the attempt ourselves (shutdown, lost leadership); counted nowhere.
 */
export type FailureClass = (typeof failureClasses)[number];

/** How far a failure reaches: this process, a whole registry host, one repository, or this one object. */
export type FailureScope = 'local' | 'host' | 'repository' | 'object';

/** What a failure says about the host it came from. */
export type FailureEvidence = 'alive' | 'dead' | 'overload' | 'none';

/** The judgement of one failure. Made only by the `classify.ts` of an adapter or by the error policy of the runtime. */
export interface Failure {
  readonly class: FailureClass;
  readonly scope: FailureScope;
  readonly reason: FailureReason;
  readonly evidence: FailureEvidence;
  /** `scheme://host:port` that was dialled. */
  readonly origin?: string;
  /** Repository within the registry, without the host. */
  readonly repository?: string;
  /** Hash of the credential in use; never the credential. */
  readonly credential?: string;
  /** How long the server asked us to wait, already clamped to the permitted range. */
  readonly retryAfterMs?: number;
  readonly httpStatus?: number;
  /** Error code of the OCI distribution specification, for instance `MANIFEST_UNKNOWN`. */
  readonly registryCode?: string;
  /** `safe`: the request is idempotent and its body can be sent again, so it may be repeated inside the reconcile. */
  readonly inRequestRetry: 'safe' | 'never';
  /** Text for a person; equal for equal failures: no local ports, times, ids or secrets. */
  readonly message: string;
  readonly cause: unknown;
}

/** Base of every error that an adapter throws on purpose. Anything else that is thrown is a defect of ours. */
export abstract class ClassifiedError extends Error {
  abstract readonly failure: Failure;
}

/** The failure that a thrown value carries, or undefined when nobody has judged it. */
export function failureOf(error: unknown): Failure | undefined {
  return error instanceof ClassifiedError ? error.failure : undefined;
}
