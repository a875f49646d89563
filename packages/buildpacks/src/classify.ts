import { type Failure } from '@buildkeeper/retry-policy';

/** What is wrong with the inputs of a builder, before anyone judges it. */
export type BuildpackFault =
  /** An image is what it is, and can't be used: a label, its platform, its mixins, an API version. */
  | { readonly kind: 'imageInvalid'; readonly message: string; readonly cause?: unknown }
  /** The spec asks for what can't be. */
  | { readonly kind: 'specInvalid'; readonly message: string }
  /** No source that was read offers the buildpack; one that couldn't be read yet might. */
  | { readonly kind: 'buildpackMissing'; readonly message: string };

/** The judgement of a fault: always class `invalid`, since only a change of an input helps. */
export function classify(fault: BuildpackFault): Failure {
  return {
    class: 'invalid',
    scope: 'object',
    reason: reasonOf(fault),
    evidence: 'none',
    inRequestRetry: 'never',
    message: fault.message,
    cause: fault.kind === 'imageInvalid' ? fault.cause : undefined,
  };
}

function reasonOf(fault: BuildpackFault): Failure['reason'] {
  switch (fault.kind) {
    case 'imageInvalid':
      return 'ImageInvalid';
    case 'specInvalid':
      return 'SpecInvalid';
    case 'buildpackMissing':
      return 'BuildpackNotFound';
  }
}
