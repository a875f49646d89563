import { ClassifiedError, type Failure } from '@buildkeeper/retry-policy';

/** What went wrong between us and the API server. The judgement is on `failure`; 404 is class notFound, 409 conflict. */
export class KubeError extends ClassifiedError {
  readonly failure: Failure;
  /** Status of the answer, or the code of an error inside a watch stream; absent when there was no answer. */
  readonly httpStatus?: number;
  /** The server's own word for it, for instance `AlreadyExists` or `Expired`. */
  readonly statusReason?: string;

  constructor(failure: Failure, statusReason?: string) {
    super(failure.message, { cause: failure.cause });
    this.name = 'KubeError';
    this.failure = failure;
    if (failure.httpStatus !== undefined) this.httpStatus = failure.httpStatus;
    if (statusReason !== undefined) this.statusReason = statusReason;
  }
}
