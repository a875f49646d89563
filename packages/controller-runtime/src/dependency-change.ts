import { isDeepStrictEqual } from 'node:util';
import type { KubeObject, StoreChange } from '@buildkeeper/kube-client';
import { conditionOf } from './conditions.ts';
import { readStatus } from './object-status.ts';

/** Whom a change of a dependency wakes: nobody, those who wait for something, or all whom it concerns. */
export type ChangeWeight = 'none' | 'waiting' | 'all';

/**
 * What a change of a dependency means to those who use it. Appearing and vanishing matter to all; so do its resolved
 * fields and the status and reason of its Ready condition. That it is up to date again matters only to who waits.
 * One more attempt that failed matters to nobody. Pure, and knows no kind.
 */
export function weightOf(change: StoreChange<KubeObject>, isMetadataOnly: boolean): ChangeWeight {
  if (change.type !== 'updated') return 'all';
  const { object, previous } = change;
  if (isMetadataOnly) return object.metadata.resourceVersion === previous.metadata.resourceVersion ? 'none' : 'all';
  const [now, before] = [readStatus(object.status), readStatus(previous.status)];
  // Nobody resolves such an object: its dependents read its spec themselves.
  const isUnobserved = readStatus(object.status).observedGeneration === undefined;
  if (isUnobserved && object.metadata.generation !== previous.metadata.generation) return 'all';
  const isOther =
    !isDeepStrictEqual(now.resolved, before.resolved) ||
    conditionKey(object, 'Ready') !== conditionKey(previous, 'Ready');
  if (isOther) return 'all';
  return conditionKey(object, 'UpToDate') === conditionKey(previous, 'UpToDate') ? 'none' : 'waiting';
}

function conditionKey(object: KubeObject, type: string): string {
  const { status = '', reason = '' } = conditionOf(readStatus(object.status).conditions, type) ?? {};
  return `${status}/${reason}`;
}
