import { STATUS_CODES } from 'node:http';
import type { Failure, FailureClass, FailureEvidence, FailureScope } from '@buildkeeper/retry-policy';

/** The part of a `Status` object that says why the server refused. */
export interface StatusBody {
  readonly reason?: string;
  readonly message?: string;
}

/** What happened on the wire, before anyone judges it. */
export type KubeFault =
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly retryAfterMs: number | undefined;
      readonly body: StatusBody | undefined;
    }
  /** The request or its answer broke; `error` is what the HTTP client threw. */
  | { readonly kind: 'network'; readonly error: unknown }
  /** A limit of ours ran out, for instance the `time of a call`. */
  | { readonly kind: 'timeout'; readonly limit: string }
  /** An answer of status 2xx that cannot be understood. */
  | { readonly kind: 'malformed'; readonly detail: string }
  /** The kubeconfig's credentials cannot be had: a file is missing, an exec plugin fails. */
  | { readonly kind: 'credentials'; readonly error: unknown }
  /** The caller's signal aborted. */
  | { readonly kind: 'aborted'; readonly error: unknown };

/** What was tried, for the message and for the question whether it may be repeated in place. */
export interface Attempt {
  /** Verb and object, as in `list kpack.io/v1alpha2 clusterstacks`. */
  readonly action: string;
  /** `scheme://host:port` of the API server. */
  readonly origin: string;
  readonly isIdempotent: boolean;
}

/** Judges every fault; knows no "never". The message holds no address, id, time or secret, so that equal faults read equal. */
export function classify(fault: KubeFault, attempt: Attempt): Failure {
  const judged = judge(fault);
  const isSafe = attempt.isIdempotent && judged.repeatable;
  return {
    class: judged.class,
    scope: judged.scope,
    reason: judged.class === 'conflict' ? 'Conflict' : 'KubernetesAPIError',
    evidence: judged.evidence,
    origin: attempt.origin,
    ...(judged.retryAfterMs === undefined ? {} : { retryAfterMs: judged.retryAfterMs }),
    ...(fault.kind === 'status' ? { httpStatus: fault.status } : {}),
    inRequestRetry: isSafe ? 'safe' : 'never',
    message: `Cannot ${attempt.action}: ${detailOf(fault)}`,
    cause: causeOf(fault),
  };
}

interface Judgement {
  readonly class: FailureClass;
  readonly scope: FailureScope;
  readonly evidence: FailureEvidence;
  readonly repeatable: boolean;
  readonly retryAfterMs?: number | undefined;
}

function judge(fault: KubeFault): Judgement {
  switch (fault.kind) {
    case 'status':
      return { ...judgeStatus(fault.status), retryAfterMs: fault.retryAfterMs };
    case 'network':
      return { class: 'transient', scope: 'host', evidence: evidenceOf(codeOf(fault.error)), repeatable: true };
    case 'timeout':
      return { class: 'transient', scope: 'host', evidence: 'overload', repeatable: false };
    case 'malformed':
      return { class: 'transient', scope: 'host', evidence: 'overload', repeatable: true };
    case 'credentials':
      return { class: 'auth', scope: 'local', evidence: 'none', repeatable: false };
    case 'aborted':
      return { class: 'aborted', scope: 'local', evidence: 'none', repeatable: false };
  }
}

function judgeStatus(status: number): Judgement {
  if (status >= 500) return { class: 'transient', scope: 'host', evidence: 'overload', repeatable: true };
  const known = clientErrors[status];
  if (known !== undefined) return known;
  return { class: 'transient', scope: 'object', evidence: 'none', repeatable: false };
}

const refused: Judgement = { class: 'invalid', scope: 'object', evidence: 'alive', repeatable: false };
const denied: Judgement = { class: 'auth', scope: 'object', evidence: 'alive', repeatable: false };
const momentary: Judgement = { class: 'transient', scope: 'object', evidence: 'alive', repeatable: true };

const clientErrors: Readonly<Record<number, Judgement>> = {
  400: refused,
  401: denied,
  403: denied,
  404: { class: 'notFound', scope: 'object', evidence: 'alive', repeatable: false },
  405: refused,
  406: refused,
  407: { class: 'auth', scope: 'local', evidence: 'none', repeatable: false },
  408: momentary,
  409: { class: 'conflict', scope: 'object', evidence: 'alive', repeatable: false },
  // The resourceVersion or the continue token is too old: the same request can only fail again; a new list is due.
  410: { class: 'transient', scope: 'object', evidence: 'alive', repeatable: false },
  413: refused,
  415: refused,
  422: refused,
  425: momentary,
  429: { class: 'throttled', scope: 'host', evidence: 'alive', repeatable: true },
};

function evidenceOf(code: string | undefined): FailureEvidence {
  switch (code) {
    case undefined:
    case 'ECONNRESET':
    case 'EPIPE':
    case 'UND_ERR_SOCKET':
      // Also what a busy server does to an idle connection.
      return 'none';
    case 'UND_ERR_HEADERS_TIMEOUT':
    case 'UND_ERR_BODY_TIMEOUT':
      return 'overload';
    default:
      return 'dead';
  }
}

function detailOf(fault: KubeFault): string {
  switch (fault.kind) {
    case 'status':
      return statusText(fault.status, fault.body);
    case 'network':
      return codeOf(fault.error) ?? 'the connection failed';
    case 'timeout':
      return `the ${fault.limit} ran out`;
    case 'malformed':
      return `the answer is not understood (${fault.detail})`;
    case 'credentials':
      return `the credentials of the kubeconfig cannot be read (${codeOf(fault.error) ?? 'no details'})`;
    case 'aborted':
      return 'stopped';
  }
}

/** Refusals whose text explains what to change and stays the same from one attempt to the next. */
const explained = [400, 403, 422];
const maxTextLength = 512;

function statusText(status: number, body: StatusBody | undefined): string {
  const text = explained.includes(status) && body?.message ? body.message : (body?.reason ?? STATUS_CODES[status]);
  return text === undefined ? `${status}` : `${status} ${text.slice(0, maxTextLength)}`;
}

function causeOf(fault: KubeFault): unknown {
  switch (fault.kind) {
    case 'status':
      return fault.body;
    case 'network':
    case 'aborted':
      return fault.error;
    case 'credentials':
      // What an exec plugin printed may hold a token: only the code goes further.
      return codeOf(fault.error);
    case 'timeout':
    case 'malformed':
      return undefined;
  }
}

/** The most specific system code along `cause` and `errors`, at most ten steps deep. */
export function codeOf(error: unknown, depth = 10): string | undefined {
  if (depth === 0 || !(error instanceof Error)) return undefined;
  const inner = error instanceof AggregateError ? (error.errors as unknown[]) : [];
  for (const one of [...inner, error.cause]) {
    const code = codeOf(one, depth - 1);
    if (code !== undefined) return code;
  }
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
