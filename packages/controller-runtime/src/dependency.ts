import type { KubeObject } from '@buildkeeper/kube-client';
import { conditionOf } from './conditions.ts';
import { readStatus } from './object-status.ts';

/** What a dependent sees of an object that it needs. */
export interface Dependency<T extends KubeObject> {
  /** Undefined when there is no such object. */
  readonly object: T | undefined;
  /** Its status can be used. */
  readonly isReady: boolean;
  /** Its status is what its spec asks for, freshly read. */
  readonly isUpToDate: boolean;
  /** A sentence for the dependent's condition: which object, and what is the matter with it. */
  readonly message: string;
}

/** Judges an object that another one depends on, by its conditions. Pure. */
export function dependencyOf<T extends KubeObject>(kind: string, name: string, object: T | undefined): Dependency<T> {
  const { conditions } = readStatus(object?.status);
  const isTrue = (type: string) => conditionOf(conditions, type)?.status === 'True';
  return {
    object,
    isReady: isTrue('Ready'),
    isUpToDate: isTrue('Ready') && isTrue('UpToDate'),
    message: `${kind} ${name} ${object === undefined ? 'does not exist' : stateOf(object)}`,
  };
}

function stateOf(object: KubeObject): string {
  const { conditions } = readStatus(object.status);
  for (const [type, state] of [
    ['Ready', 'is not ready'],
    ['UpToDate', 'is not up to date'],
  ] as const) {
    const condition = conditionOf(conditions, type);
    if (condition === undefined) return 'has not been looked at yet';
    if (condition.status === 'True') continue;
    const why = [condition.reason, condition.message].filter((part) => (part ?? '') !== '').join(': ');
    return why === '' ? state : `${state}: ${why}`;
  }
  return 'is ready';
}
