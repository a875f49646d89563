import { ClassifiedError, type Failure } from '@buildkeeper/retry-policy';
import { classify, type BuildpackFault } from './classify.ts';

/** Thrown when a builder can't be made of what is there, however well the registries answer. */
export class BuildpackError extends ClassifiedError {
  override readonly name = 'BuildpackError';
  readonly failure: Failure;
  /**
   * True when a buildpack or an object that holds buildpacks isn't there. While a source of buildpacks could not be
   * read yet, that is a reason to wait for it, not a mistake in the spec.
   */
  readonly missing: boolean;

  constructor(fault: BuildpackFault) {
    super(fault.message, fault.kind === 'imageInvalid' ? { cause: fault.cause } : undefined);
    this.failure = classify(fault);
    this.missing = fault.kind === 'buildpackMissing';
  }
}

/** An image that can't be used. `image` is the reference as the user wrote it. */
export function imageInvalid(image: string, detail: string, cause?: unknown): BuildpackError {
  return new BuildpackError({ kind: 'imageInvalid', message: `Cannot use image ${image}: ${detail}`, cause });
}

/** A spec that asks for what can't be. */
export function specInvalid(message: string): BuildpackError {
  return new BuildpackError({ kind: 'specInvalid', message });
}

/** A buildpack, or an object that should hold it, that isn't there. */
export function buildpackMissing(message: string): BuildpackError {
  return new BuildpackError({ kind: 'buildpackMissing', message });
}

/** Text of an image in a message: quoted, without control characters, at most 100 characters. */
export function quoted(text: string): string {
  const short = text.length > 100 ? `${text.slice(0, 100)}…` : text;
  return JSON.stringify(short);
}
