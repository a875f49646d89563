import type { Failure, FailureClass, FailureEvidence, FailureReason, FailureScope } from '@buildkeeper/retry-policy';
import { describeFault } from './describe-fault.ts';
import { errorCodeOf } from './error-codes.ts';
import type { Attempt, FaultSite, RegistryFault } from './errors.ts';

/** The site of faults that are met before anything is dialled. */
export const localSite: FaultSite = { origin: '', role: 'registry', operation: 'manifest', method: '' };

/** The part of a {@link Failure} that a fault decides. */
interface Verdict {
  readonly class: FailureClass;
  readonly scope: FailureScope;
  readonly evidence: FailureEvidence;
  readonly reason: FailureReason;
  /** Whether doing the same again at once can help. */
  readonly isRetryable?: boolean;
}

/** Judges a fault. Total and pure; what nobody knows is `transient`, scope `object`, reason Unknown. */
export function classify(fault: RegistryFault, site: FaultSite, attempt: Attempt): Failure {
  const verdict = placed(verdictOf(fault, site, attempt), site);
  return {
    class: verdict.class,
    scope: verdict.scope,
    reason: verdict.reason,
    evidence: verdict.evidence,
    ...(site.origin !== '' && { origin: site.origin }),
    ...(attempt.repository !== undefined && { repository: attempt.repository }),
    ...(attempt.credential !== undefined && { credential: attempt.credential }),
    ...(fault.kind === 'status' && { httpStatus: fault.status }),
    ...(fault.kind === 'status' && fault.registryCode !== undefined && { registryCode: fault.registryCode }),
    ...(fault.kind === 'status' && fault.retryAfterMs !== undefined && { retryAfterMs: fault.retryAfterMs }),
    inRequestRetry: verdict.isRetryable === true && attempt.isReplayable ? 'safe' : 'never',
    message: describeFault(fault, site, attempt),
    cause: 'error' in fault ? fault.error : undefined,
  };
}

const transient = (scope: FailureScope, evidence: FailureEvidence, reason: FailureReason): Verdict => {
  return { class: 'transient', scope, evidence, reason, isRetryable: true };
};
const alive = (failureClass: FailureClass, reason: FailureReason): Verdict => {
  return { class: failureClass, scope: 'object', evidence: 'alive', reason };
};
const unexpected: Verdict = transient('repository', 'overload', 'UnexpectedContent');
const unknown: Verdict = { class: 'transient', scope: 'object', evidence: 'none', reason: 'Unknown' };
const aborted: Verdict = { class: 'aborted', scope: 'local', evidence: 'none', reason: 'ReconcileTimeout' };
const tls: Verdict = { class: 'transient', scope: 'host', evidence: 'dead', reason: 'TLSVerificationFailed' };

function verdictOf(fault: RegistryFault, site: FaultSite, attempt: Attempt): Verdict {
  switch (fault.kind) {
    case 'status':
      return verdictOfStatus(fault, site, attempt);
    case 'broken':
      return verdictOfError(fault.error, fault.hasResponse);
    case 'overdue':
      return transient('host', 'overload', 'RegistryTimeout');
    case 'unexpected':
      return unexpected;
    case 'unusable':
      return alive('invalid', 'ImageInvalid');
    case 'malformedReference':
      return { class: 'invalid', scope: 'object', evidence: 'none', reason: 'SpecInvalid' };
    case 'insecure':
      // At the pace of TLS: a person has to change the server or to list the host.
      return { ...tls, evidence: 'alive', scope: 'object' };
    case 'unsupportedChallenge':
      return alive('auth', 'AuthenticationFailed');
    case 'aborted':
      return aborted;
  }
}

function verdictOfError(error: unknown, hasResponse: boolean): Verdict {
  switch (errorCodeOf(error).kind) {
    case 'unreachable':
      return transient('host', 'dead', 'RegistryUnavailable');
    case 'connectTimeout':
      return transient('host', 'dead', 'RegistryTimeout');
    case 'reset':
      return transient('host', hasResponse ? 'none' : 'dead', 'RegistryUnavailable');
    case 'stalled':
      return transient('host', 'overload', 'RegistryTimeout');
    case 'certificate':
    case 'tls':
      return tls;
    case 'trust':
      return { ...tls, scope: 'local', evidence: 'none' };
    case 'garbled':
      return unexpected;
    case 'local':
      return transient('local', 'none', 'EgressUnavailable');
    case 'closed':
      return aborted;
    case 'unknown':
      return unknown;
  }
}

type StatusFault = Extract<RegistryFault, { kind: 'status' }>;

/** What was sent is lost, or blobs are that the registry said it had: the next reconcile sends them again. */
const lostPush = alive('transient', 'UploadRejected');

/** Codes that say more than the status they come with, unless that is a 5xx. */
const codeVerdicts: Readonly<Record<string, Verdict>> = {
  UNAUTHORIZED: alive('auth', 'AuthenticationFailed'),
  DENIED: alive('auth', 'AuthorizationDenied'),
  NAME_UNKNOWN: alive('notFound', 'ImageNotFound'),
  MANIFEST_UNKNOWN: alive('notFound', 'ImageNotFound'),
  MANIFEST_BLOB_UNKNOWN: lostPush,
  NAME_INVALID: alive('invalid', 'SpecInvalid'),
  TAG_INVALID: alive('invalid', 'SpecInvalid'),
  MANIFEST_INVALID: alive('invalid', 'UploadRejected'),
  MANIFEST_UNVERIFIED: alive('invalid', 'UploadRejected'),
  PAGINATION_NUMBER_INVALID: alive('invalid', 'RegistryError'),
  UNSUPPORTED: alive('invalid', 'RegistryError'),
  UNKNOWN: transient('repository', 'overload', 'RegistryError'),
  UNAVAILABLE: transient('repository', 'overload', 'RegistryError'),
};

/** Codes that end an upload session but not the upload. */
const restartCodes: ReadonlySet<string> = new Set([
  'BLOB_UPLOAD_UNKNOWN',
  'BLOB_UPLOAD_INVALID',
  'BLOB_UNKNOWN',
  'DIGEST_INVALID',
  'SIZE_INVALID',
  'RANGE_INVALID',
]);

/** The registry codes that {@link classify} knows. For its table test. */
export const knownRegistryCodes: readonly string[] = [...Object.keys(codeVerdicts), ...restartCodes, 'TOOMANYREQUESTS'];

function verdictOfStatus(fault: StatusFault, site: FaultSite, attempt: Attempt): Verdict {
  const { status, registryCode: code } = fault;
  const isPush = site.method === 'PUT' || site.method === 'PATCH' || site.method === 'POST';
  if (status === 429 || code === 'TOOMANYREQUESTS') {
    return { class: 'throttled', scope: 'host', evidence: 'alive', reason: 'RegistryThrottled', isRetryable: true };
  }
  if (status >= 500) return verdictOf5xx(fault);
  if (status < 400) return unexpected;
  // Storage is asked with a signed URL: what it refuses is the signature, which the next request renews.
  if (site.role === 'storage' && (status === 401 || status === 403)) {
    return transient('repository', 'none', 'RegistryError');
  }
  if (isPush && site.operation === 'upload' && endsSession(fault, site)) {
    return { ...lostPush, isRetryable: attempt.canRestart === true };
  }
  if (isPush && (code === 'BLOB_UNKNOWN' || code === 'DIGEST_INVALID')) return lostPush;
  return verdictOfCode(code, status) ?? verdictOf4xx(status, isPush);
}

/** What the code says, unless the status says it better. */
function verdictOfCode(code: string | undefined, status: number): Verdict | undefined {
  // A 401 or 403 speaks of the credential, whatever else the body says.
  if (code === undefined || status === 401 || status === 403) return undefined;
  const isVague = code === 'UNKNOWN' || code === 'UNAVAILABLE';
  if (isVague && (status === 404 || status === 410)) return undefined;
  return Object.hasOwn(codeVerdicts, code) ? codeVerdicts[code] : undefined;
}

function endsSession({ status, registryCode }: StatusFault, site: FaultSite): boolean {
  if (status === 416) return true;
  if (status === 401 || status === 403) return false;
  if (registryCode !== undefined) return restartCodes.has(registryCode);
  // Only what follows the POST has a session to lose.
  return status === 404 && site.method !== 'POST';
}

function verdictOf5xx({ status, retryAfterMs }: StatusFault): Verdict {
  if (status === 503 && retryAfterMs !== undefined) {
    return { class: 'throttled', scope: 'host', evidence: 'overload', reason: 'RegistryThrottled', isRetryable: true };
  }
  if (status === 501 || status === 505) return alive('invalid', 'RegistryError');
  return status > 599 ? unknown : transient('repository', 'overload', 'RegistryError');
}

function verdictOf4xx(status: number, isPush: boolean): Verdict {
  switch (status) {
    case 401:
      return alive('auth', 'AuthenticationFailed');
    case 402:
    case 403:
    case 451:
      return alive('auth', 'AuthorizationDenied');
    case 404:
    case 410:
      return alive('notFound', 'ImageNotFound');
    case 407:
      return { class: 'auth', scope: 'local', evidence: 'none', reason: 'AuthenticationFailed' };
    case 408:
      return { ...alive('transient', 'RegistryTimeout'), isRetryable: true };
    case 421:
    case 425:
      return { ...alive('transient', 'RegistryError'), isRetryable: true };
    case 409:
    case 423:
    case 424:
      return alive('transient', isPush ? 'UploadRejected' : 'RegistryError');
    case 499:
      return transient('repository', 'overload', 'RegistryError');
    case 416:
      return unexpected;
    case 400:
    case 405:
    case 406:
    case 411:
    case 412:
    case 413:
    case 414:
    case 415:
    case 417:
    case 422:
    case 426:
    case 428:
    case 431:
      return alive('invalid', isPush ? 'UploadRejected' : 'RegistryError');
    default:
      return unknown;
  }
}

/** What a fault means when the host is not the registry but its token service. */
function placed(verdict: Verdict, site: FaultSite): Verdict {
  if (site.role !== 'token' || verdict.reason === 'TLSVerificationFailed') return verdict;
  switch (verdict.class) {
    case 'auth':
    case 'throttled':
    case 'aborted':
      return verdict;
    case 'invalid':
      // OAuth answers 400 to a refresh token that it does not take.
      return verdict.reason === 'RegistryError' || verdict.reason === 'UploadRejected'
        ? alive('auth', 'AuthenticationFailed')
        : verdict;
    case 'transient':
    case 'notFound':
    case 'conflict':
      if (verdict.scope === 'local' || verdict === unknown) return verdict;
      return { ...verdict, class: 'transient', scope: 'host', reason: 'TokenServiceUnavailable' };
  }
}
