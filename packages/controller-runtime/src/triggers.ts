import { isDeepStrictEqual } from 'node:util';
import { objectKey, type KubeObject, type ObjectStore, type StoreChange } from '@buildkeeper/kube-client';
import type { Clock, FailureReason } from '@buildkeeper/retry-policy';
import { conditionOf } from './conditions.ts';
import type { AnyController, WatchDefinition } from './controller-definition.ts';
import { weightOf } from './dependency-change.ts';
import { firstLookDelayMs } from './history.ts';
import type { ObjectMemory } from './object-memory.ts';
import { readStatus } from './object-status.ts';
import type { Settings } from './settings.ts';
import type { WorkQueue } from './work-queue.ts';

/** What the triggers of one term of leadership act on. */
export interface TriggerDeps {
  readonly definition: AnyController;
  readonly dependencies: unknown;
  readonly store: ObjectStore<KubeObject>;
  readonly queue: WorkQueue;
  readonly memory: ObjectMemory;
  readonly settings: Settings;
  readonly clock: Clock;
}

/** Who wakes whom. */
export class Triggers {
  readonly #deps: TriggerDeps;

  constructor(deps: TriggerDeps) {
    this.#deps = deps;
  }

  /** Plans the first look at every object there is. */
  planAll(): void {
    for (const object of this.#deps.store.list()) this.#planFirstLook(object);
  }

  /** A change of the controller's own kind: its spec, its annotations or its end wake it, its status never does. */
  ownChanged(change: StoreChange<KubeObject>): void {
    const key = objectKey(change.object);
    if (change.type === 'added') this.#planFirstLook(change.object);
    if (change.type === 'deleted') {
      this.#deps.queue.forget(key);
      this.#deps.memory.forget(key);
    }
    if (change.type === 'updated' && isOwnWish(change.object, change.previous)) {
      this.#deps.memory.setPendingWrite(key, undefined);
      this.#deps.queue.add(key);
    }
  }

  /** A change of a watched kind wakes the objects that it affects, and starts their backoff afresh. */
  dependencyChanged(watch: WatchDefinition<KubeObject, unknown>, change: StoreChange<KubeObject>): void {
    const weight = weightOf(change, watch.metadataOnly === true);
    if (weight === 'none') return;
    for (const candidate of this.#deps.store.list()) {
      const isConcerned =
        weight === 'all' || this.#mayBeWaiting(candidate) || (weight === 'failing' && isFailing(candidate));
      if (isConcerned && watch.affects(change.object, candidate, this.#deps.dependencies)) this.#wake(candidate);
    }
  }

  /** Wakes every object whose last failure has the reason: what stood behind it has changed. */
  wakeFailedBy(reason: FailureReason): void {
    for (const object of this.#deps.store.list()) {
      if (readStatus(object.status).retry?.reason === reason) this.#wake(object);
    }
  }

  #planFirstLook(object: KubeObject): void {
    const { queue, clock, settings } = this.#deps;
    const delayMs = firstLookDelayMs(object, { nowMs: clock.nowMs(), paces: settings.paces });
    if (delayMs === 0) queue.add(objectKey(object));
    else queue.addAfter(objectKey(object), delayMs);
  }

  #wake(object: KubeObject): void {
    const key = objectKey(object);
    this.#deps.memory.inputChanged(key);
    this.#deps.queue.add(key);
  }

  /** An object in work counts as waiting: it has read its dependency already, and its status does not say so yet. */
  #mayBeWaiting(candidate: KubeObject): boolean {
    if (this.#deps.queue.isRunning(objectKey(candidate))) return true;
    const upToDate = conditionOf(readStatus(candidate.status).conditions, 'UpToDate');
    return upToDate === undefined || upToDate.reason === 'DependencyNotReady';
  }
}

function isFailing({ status }: KubeObject): boolean {
  return readStatus(status).retry !== undefined;
}

function isOwnWish({ metadata: now }: KubeObject, { metadata: before }: KubeObject): boolean {
  if (now.generation !== before.generation || now.deletionTimestamp !== before.deletionTimestamp) return true;
  return !isDeepStrictEqual(now.annotations ?? {}, before.annotations ?? {});
}
