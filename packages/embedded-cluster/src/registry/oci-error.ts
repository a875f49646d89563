/** Error codes of the distribution specification, with the status and text that docker-registry 2.8 gives them. */
const errors = {
  BLOB_UNKNOWN: [404, 'blob unknown to registry'],
  BLOB_UPLOAD_INVALID: [404, 'blob upload invalid'],
  BLOB_UPLOAD_UNKNOWN: [404, 'blob upload unknown to registry'],
  DIGEST_INVALID: [400, 'provided digest did not match uploaded content'],
  MANIFEST_BLOB_UNKNOWN: [400, 'blob unknown to registry'],
  MANIFEST_INVALID: [400, 'manifest invalid'],
  MANIFEST_UNKNOWN: [404, 'manifest unknown'],
  NAME_UNKNOWN: [404, 'repository name not known to registry'],
  RANGE_INVALID: [416, 'invalid content range'],
  UNAUTHORIZED: [401, 'authentication required'],
} as const;

type OciErrorCode = keyof typeof errors;

/** One entry of an error body. */
export interface OciProblem {
  readonly code: OciErrorCode;
  readonly detail?: unknown;
  /** Replaces the usual text of the code. */
  readonly message?: string;
}

/** Thrown by the handlers; the server answers it with the first problem's status and all of them in the body. */
export class OciError extends Error {
  readonly problems: readonly [OciProblem, ...OciProblem[]];
  readonly headers: Readonly<Record<string, string | number>>;

  constructor(
    problems: OciProblem | readonly [OciProblem, ...OciProblem[]],
    headers: Readonly<Record<string, string | number>> = {},
  ) {
    const list: readonly [OciProblem, ...OciProblem[]] = 'code' in problems ? [problems] : problems;
    super(list[0].code);
    this.problems = list;
    this.headers = headers;
  }

  get status(): number {
    return errors[this.problems[0].code][0];
  }

  /** The body of the specification, to be written as JSON. */
  body(): object {
    const list = this.problems.map(({ code, detail, message }) => ({
      code,
      message: message ?? errors[code][1],
      detail,
    }));
    return { errors: list };
  }
}
