import { isDeepStrictEqual } from 'node:util';
import type { KubeObject, StoreChange } from '@buildkeeper/kube-client';
import { conditionOf } from './conditions.ts';
import { isRecord, readStatus } from './object-status.ts';

/** Whom a change of a dependency wakes: nobody, those who wait for something, those who fail as well, or all. */
export type ChangeWeight = 'none' | 'waiting' | 'failing' | 'all';

/**
 * What a change of a dependency means to those who use it. Appearing and vanishing matter to all; so do its resolved
 * fields, the status and reason of its Ready condition, and whose credentials it is read with, which its dependents
 * use too. That it is up to date again matters to who waits or fails, for what was mended there may be what fails
 * here. One more attempt that failed matters to nobody. Pure, and knows no kind.
 */
export function weightOf(change: StoreChange<KubeObject>, isMetadataOnly: boolean): ChangeWeight {
  if (change.type !== 'updated') return 'all';
  const { object, previous } = change;
  if (isMetadataOnly) return object.metadata.resourceVersion === previous.metadata.resourceVersion ? 'none' : 'all';
  return isNewToAll(object, previous) ? 'all' : weightOfUpToDate(object, previous);
}

function isNewToAll(object: KubeObject, previous: KubeObject): boolean {
  const hasOtherSpec = object.metadata.generation !== previous.metadata.generation;
  if (hasOtherSpec && (!isFollowed(object) || !isDeepStrictEqual(accountOf(object), accountOf(previous)))) return true;
  return (
    !isDeepStrictEqual(readStatus(object.status).resolved, readStatus(previous.status).resolved) ||
    conditionKey(object, 'Ready') !== conditionKey(previous, 'Ready')
  );
}

function weightOfUpToDate(object: KubeObject, previous: KubeObject): ChangeWeight {
  if (conditionKey(object, 'UpToDate') === conditionKey(previous, 'UpToDate')) return 'none';
  return conditionOf(readStatus(object.status).conditions, 'UpToDate')?.status === 'True' ? 'failing' : 'waiting';
}

/**
 * Whether a status will follow a new spec and tell what it means. Only this runtime writes UpToDate on a dependency:
 * a status without it was left by another program, and the dependents of such an object read its spec themselves.
 */
function isFollowed({ status }: KubeObject): boolean {
  const { observedGeneration, conditions } = readStatus(status);
  return observedGeneration !== undefined && conditionOf(conditions, 'UpToDate') !== undefined;
}

function accountOf({ spec }: KubeObject): unknown {
  return isRecord(spec) ? spec['serviceAccountRef'] : undefined;
}

function conditionKey(object: KubeObject, type: string): string {
  const { status = '', reason = '' } = conditionOf(readStatus(object.status).conditions, type) ?? {};
  return `${status}/${reason}`;
}
