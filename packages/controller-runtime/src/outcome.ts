import type { Failure } from '@buildkeeper/retry-policy';
import { invalidSpecFailure } from './own-failures.ts';

/**
 * What one reconcile of an object came to. `S` is the resolved part of the status: all of it but conditions,
 * observedGeneration, retry and lastHandledReconcileAt, which belong to the runtime.
 *
 * - `ready`: `status` is what the spec asks for, freshly read; it replaces the resolved part.
 * - `waiting`: a dependency has to change first. Not a failure; the wait ends with that change, and is looked at again
 *   now and then (`dependency`) or at the pace of class auth (`auth`, for what nobody watches).
 * - `failed`: `failure` says how soon the next attempt comes. `status` holds partial results that are published all
 *   the same, over the last good ones; `isUsable` says that the status is complete with them, though not up to date.
 */
export type Outcome<S extends object> =
  | { readonly kind: 'ready'; readonly status: S }
  | {
      readonly kind: 'waiting';
      readonly message: string;
      readonly pace?: 'dependency' | 'auth';
      readonly status?: Partial<S>;
    }
  | {
      readonly kind: 'failed';
      readonly failure: Failure;
      readonly status?: Partial<S>;
      readonly isUsable?: boolean;
    };

/** The outcome of an object that has all it needs. */
export function ready<S extends object>(status: S): Outcome<S> {
  return { kind: 'ready', status };
}

/** The outcome of an object that needs something first; `message` names it and says what is the matter with it. */
export function waitingOn(message: string, options: { readonly pace?: 'dependency' | 'auth' } = {}): Outcome<never> {
  return { kind: 'waiting', message, ...options };
}

/**
 * The outcome of an attempt that failed. Throwing the error that carries the failure means the same. `status` is
 * published all the same; `isUsable` says that with it the object can be used, though it is not up to date.
 */
export function failed<S extends object = never>(
  failure: Failure,
  partial: { readonly status?: Partial<S>; readonly isUsable?: boolean } = {},
): Outcome<S> {
  return { kind: 'failed', failure, ...partial };
}

/** The outcome of an object whose spec cannot be acted upon: every problem in one message, by field. */
export function specInvalid(problems: readonly { readonly field: string; readonly message: string }[]): Outcome<never> {
  return failed(invalidSpecFailure(problems.map(({ field, message }) => `${field}: ${message}`).join('; ')));
}
