import type { KubeClient, KubeObject, ObjectStore, ResourceType } from '@buildkeeper/kube-client';
import type { ControllerObserver } from '@buildkeeper/metrics';
import type { Clock, Random } from '@buildkeeper/retry-policy';
import type { Logger } from './log.ts';
import type { Outcome } from './outcome.ts';
import type { Settings } from './settings.ts';

/** All that distinguishes one controller from another. */
export interface ControllerDefinition<T extends KubeObject, S extends object, D> {
  /** Lower-case kind: metric label, suffix of the Lease, field of the log. */
  readonly name: string;
  /** The kind that is reconciled. */
  readonly resource: ResourceType;
  readonly watches: readonly WatchDefinition<T, D>[];
  /** Makes what `reconcile` works with, once, before anything is watched. Throws when it asks for a kind nobody watches. */
  createDeps(env: ControllerEnv): D;
  /**
   * Looks at one object and says what came of it. What it throws is judged by the failure it carries. It should end
   * when its signal aborts; its result is not waited for after that.
   */
  reconcile(object: T, deps: D, context: ReconcileContext): Promise<Outcome<S>>;
}

/** A kind whose changes may concern objects of the controller's own kind. */
export interface WatchDefinition<T extends KubeObject, D> {
  readonly resource: ResourceType;
  /** Only `metadata` is read; every change of the object counts. */
  readonly metadataOnly?: boolean;
  readonly whenEnabled?: (settings: Settings) => boolean;
  /** Whether a change that means something matters to `candidate`. Asked for each candidate, so it must be quick. */
  affects(changed: KubeObject, candidate: T, deps: D): boolean;
}

/** What a controller is given to make its dependencies of. */
export interface ControllerEnv {
  readonly settings: Settings;
  readonly kube: KubeClient;
  /** The objects of a kind that the definition reconciles or watches; throws a RangeError for another one. */
  lister<T extends KubeObject>(resource: ResourceType): ObjectStore<T>;
  /** Text of `--registry-ca` as it is now; undefined without that flag, and the last good text when it can't be read. */
  readonly readRegistryCa: () => string | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly observer: ControllerObserver;
  readonly log: Logger;
  /** Aborted when the process stops. */
  readonly signal: AbortSignal;
}

/** What one reconcile is told besides its object. */
export interface ReconcileContext {
  /** Aborts at the deadline of the reconcile, on loss of leadership and when the process stops. */
  readonly signal: AbortSignal;
  readonly nowMs: number;
  /** A person asks by annotation for a fresh look: trust nothing remembered. */
  readonly isRequested: boolean;
}

/** Any controller, whatever its kind. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- T, S and D belong to the definition alone.
export type AnyController = ControllerDefinition<any, any, any>;

/** Gives the definition back; here so that its types are inferred. */
export function defineController<T extends KubeObject, S extends object, D>(
  definition: ControllerDefinition<T, S, D>,
): ControllerDefinition<T, S, D> {
  return definition;
}
