import { failureClasses, failureReasons, type FailureClass, type FailureReason } from '@buildkeeper/retry-policy';
import type { Declarations } from './metrics.ts';
import type { ReconcileResult, ResourceSample, RetryLayer, StatusWriteResult } from './observer.ts';

/** The two layers that retry: a request inside a reconcile, and an object between reconciles. */
const retryLayers: readonly RetryLayer[] = ['request', 'reconcile'];

/** Values of the label `result` of the reconcile metrics. */
const reconcileResults: readonly ReconcileResult[] = ['success', 'error', 'requeue', 'requeue_after'];

/** Values of the label `result` of the status writes. */
const statusWriteResults: readonly StatusWriteResult[] = ['success', 'conflict', 'error'];

/** Reasons that stand for a failure, hence for a retry. */
const retriedReasons = failureReasons.filter((reason) => reason !== 'Succeeded' && reason !== 'DependencyNotReady');

/** Classes that an object can be in while it waits for its next attempt. */
export const backoffClasses = failureClasses.filter((name) => name !== 'aborted');

/** Every combination of `ready` and `reason` that an object can be counted under; Unknown/Unknown is one never looked at. */
export const resourceStates: readonly ResourceSample[] = [
  { ready: 'True', reason: 'Succeeded' },
  { ready: 'Unknown', reason: 'DependencyNotReady' },
  { ready: 'Unknown', reason: 'Unknown' },
  ...retriedReasons.map((reason) => ({ ready: 'False' as const, reason })),
];

/** The class that each failure reason usually has: which series exist before the first failure. */
const usualClass: Partial<Record<FailureReason, FailureClass>> = {
  RegistryUnavailable: 'transient',
  RegistryTimeout: 'transient',
  RegistryError: 'transient',
  RegistryThrottled: 'throttled',
  TokenServiceUnavailable: 'transient',
  TLSVerificationFailed: 'transient',
  EgressUnavailable: 'transient',
  AuthenticationFailed: 'auth',
  AuthorizationDenied: 'auth',
  ImageNotFound: 'notFound',
  UnexpectedContent: 'transient',
  UploadRejected: 'transient',
  ImageInvalid: 'invalid',
  SpecInvalid: 'invalid',
  BuildpackNotFound: 'invalid',
  KubernetesAPIError: 'transient',
  ReconcileTimeout: 'transient',
  Unknown: 'transient',
};

/** Makes every series of `controller` that can be listed exist at 0, so that a rate exists before the first failure. */
export function initialiseSeries(metrics: Declarations, controller: string): void {
  const queue = { name: controller, controller };
  for (const counter of [metrics.queueAdds, metrics.queueRetries]) counter.inc(queue, 0);
  for (const histogram of [metrics.queueDuration, metrics.queueWorkDuration]) histogram.zero(queue);
  for (const gauge of [metrics.queueUnfinishedWork, metrics.queueLongestRunning]) gauge.set(queue, 0);
  metrics.queueDepth.set({ ...queue, priority: '' }, 0);
  initialiseReconciles(metrics, controller);
  initialiseFailures(metrics, controller);
}

function initialiseReconciles(metrics: Declarations, controller: string): void {
  const counters = [
    metrics.reconcileErrors,
    metrics.terminalReconcileErrors,
    metrics.reconcilePanics,
    metrics.reconcileTimeouts,
    metrics.unclassifiedFailures,
  ];
  for (const counter of counters) counter.inc({ controller }, 0);
  for (const result of reconcileResults) {
    metrics.reconciles.inc({ controller, result }, 0);
    metrics.reconcileDuration.zero({ controller, result });
  }
  for (const gauge of [metrics.maxConcurrentReconciles, metrics.activeWorkers]) gauge.set({ controller }, 0);
  metrics.reconcileTime.zero({ controller });
  for (const result of statusWriteResults) metrics.statusWrites.inc({ controller, result }, 0);
}

function initialiseFailures(metrics: Declarations, controller: string): void {
  for (const layer of retryLayers) {
    metrics.backoff.zero({ controller, layer });
    for (const reason of retriedReasons) metrics.retries.inc({ controller, layer, reason }, 0);
  }
  for (const [reason, name] of Object.entries(usualClass)) metrics.failures.inc({ controller, class: name, reason }, 0);
  for (const name of backoffClasses) {
    metrics.resourcesInBackoff.set({ controller, class: name }, 0);
    metrics.failureDuration.zero({ controller, class: name });
  }
  for (const { ready, reason } of resourceStates) metrics.resources.set({ controller, ready, reason }, 0);
}
