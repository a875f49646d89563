import { type JsonRecord } from './json-value.ts';

/** One wrong field, as a Status lists them in `details.causes`. */
export interface StatusCause {
  readonly reason: string;
  readonly message: string;
  /** Path such as `spec.order[0].group[1].id`. */
  readonly field: string;
}

interface ErrorBody {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  readonly details?: JsonRecord;
}

/** What identifies the object of an error: plural and group, as the messages of a real server put it. */
export interface ErrorSubject {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
}

/** An answer that is an error. Carries the Status object a client gets as the body. */
export class ApiError extends Error {
  readonly code: number;
  readonly reason: string;
  readonly details: JsonRecord | undefined;

  constructor(body: ErrorBody) {
    super(body.message);
    this.name = 'ApiError';
    this.code = body.code;
    this.reason = body.reason;
    this.details = body.details;
  }

  /** The Status object of this error. */
  toStatus(): JsonRecord {
    const { message, reason, details, code } = this;
    return { ...statusHead, status: 'Failure', message, reason, ...(details && { details }), code };
  }
}

const statusHead = { kind: 'Status', apiVersion: 'v1', metadata: {} };

/** The Status of a call that has nothing else to say, such as a finished deletion. */
export function successStatus(details: JsonRecord): JsonRecord {
  return { ...statusHead, status: 'Success', details };
}

/** 400: the request can't be understood. */
export function badRequest(message: string): ApiError {
  return new ApiError({ code: 400, reason: 'BadRequest', message });
}

/** 401: no token, or a wrong one. */
export function unauthorized(): ApiError {
  return new ApiError({ code: 401, reason: 'Unauthorized', message: 'Unauthorized' });
}

/** 404 for a path that no resource is served at. */
export function unknownPath(): ApiError {
  return new ApiError({ code: 404, reason: 'NotFound', message: 'the server could not find the requested resource' });
}

/** 404 for an object of a served resource. */
export function notFound(subject: ErrorSubject, name: string): ApiError {
  const message = `${qualifiedPlural(subject)} "${name}" not found`;
  return new ApiError({ code: 404, reason: 'NotFound', message, details: detailsOf(subject, name) });
}

/** 405: the resource does not know the verb. */
export function methodNotAllowed(): ApiError {
  const message = 'the server does not allow this method on the requested resource';
  return new ApiError({ code: 405, reason: 'MethodNotAllowed', message });
}

/** 406: none of the types in `Accept` can be served. */
export function notAcceptable(served: readonly string[]): ApiError {
  const message = `only the following media types are accepted: ${served.join(', ')}`;
  return new ApiError({ code: 406, reason: 'NotAcceptable', message });
}

/** 409: an object of that name exists. */
export function alreadyExists(subject: ErrorSubject, name: string): ApiError {
  const message = `${qualifiedPlural(subject)} "${name}" already exists`;
  return new ApiError({ code: 409, reason: 'AlreadyExists', message, details: detailsOf(subject, name) });
}

/** 409: the resourceVersion, or another precondition of the write, is not that of the stored object. */
export function conflict(subject: ErrorSubject, name: string, because = objectWasModified): ApiError {
  const message = `Operation cannot be fulfilled on ${qualifiedPlural(subject)} "${name}": ${because}`;
  return new ApiError({ code: 409, reason: 'Conflict', message, details: detailsOf(subject, name) });
}

const objectWasModified = 'the object has been modified; please apply your changes to the latest version and try again';

/** 410: the resourceVersion or continue token is older than what the server remembers. */
export function expired(message: string): ApiError {
  return new ApiError({ code: 410, reason: 'Expired', message });
}

/** 413: the body is larger than the server reads. */
export function tooLarge(limitBytes: number): ApiError {
  const message = `Request entity is too large: limit is ${limitBytes}`;
  return new ApiError({ code: 413, reason: 'RequestEntityTooLarge', message });
}

/** 415: a body of a type that the call does not take. */
export function unsupportedMediaType(accepted: readonly string[]): ApiError {
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`;
  return new ApiError({ code: 415, reason: 'UnsupportedMediaType', message });
}

/** 422: the object breaks its schema, or a rule of its kind. The message names every field. */
export function invalid(subject: ErrorSubject, name: string, causes: readonly StatusCause[]): ApiError {
  const problems = causes.map((cause) => `${cause.field}: ${cause.message}`);
  const list = problems.length === 1 ? problems.join() : `[${problems.join(', ')}]`;
  const qualifiedKind = subject.group ? `${subject.kind}.${subject.group}` : subject.kind;
  const details = { name, ...(subject.group && { group: subject.group }), kind: subject.kind, causes };
  return new ApiError({
    code: 422,
    reason: 'Invalid',
    message: `${qualifiedKind} "${name}" is invalid: ${list}`,
    details,
  });
}

function qualifiedPlural({ plural, group }: ErrorSubject): string {
  return group ? `${plural}.${group}` : plural;
}

function detailsOf({ plural, group }: ErrorSubject, name: string): JsonRecord {
  return { name, ...(group && { group }), kind: plural };
}
