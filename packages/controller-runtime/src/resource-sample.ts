import type { KubeObject } from '@buildkeeper/kube-client';
import type { ReadyState, ResourceSample } from '@buildkeeper/metrics';
import { failureReasons, type FailureReason } from '@buildkeeper/retry-policy';
import { conditionOf } from './conditions.ts';
import { readStatus } from './object-status.ts';

/** How an object counts in the resource gauges; read from its status, so that nothing is left of a deleted one. Pure. */
export function resourceSample(object: KubeObject): ResourceSample {
  const { conditions, retry } = readStatus(object.status);
  const ready = conditionOf(conditions, 'Ready');
  const state: ReadyState = ready?.status ?? 'Unknown';
  const reason = failureReasons.find((one) => one === ready?.reason) ?? reasonOfOthers(state);
  return { ready: state, reason, backoffClass: retry?.class };
}

/** Other programs have written conditions without a reason, or with words of their own. */
function reasonOfOthers(state: ReadyState): FailureReason {
  return state === 'True' ? 'Succeeded' : 'Unknown';
}
