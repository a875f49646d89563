import type { FailureClass, FailureReason } from '@buildkeeper/retry-policy';
import type { Declarations } from './metrics.ts';

/** Result of a reconcile in the words of the Go controller-runtime. */
export type ReconcileResult = 'success' | 'error' | 'requeue' | 'requeue_after';
/** What became of a status patch. */
export type StatusWriteResult = 'success' | 'conflict' | 'error';
/** Status of a Ready condition. */
export type ReadyState = 'True' | 'False' | 'Unknown';
/** Who scheduled a delay: a request inside a reconcile, or the reconcile for its object. */
export type RetryLayer = 'request' | 'reconcile';

/** Told of every request to a registry; satisfies the observer that registry-client asks for. */
export interface RegistryRequests {
  requestFinished(seen: { host: string; operation: string; code: string; durationMs: number }): void;
  retryScheduled(seen: { host: string; reason: FailureReason; delayMs: number }): void;
}

/** Told of every request to the Kubernetes API; satisfies the observer that kube-client asks for. */
export interface KubeRequests {
  /** A kind will be watched: its series exist from now on. */
  watching(seen: { kind: string }): void;
  requestFinished(seen: { method: string; verb: string; host: string; code: string; durationMs: number }): void;
  watchEvent(seen: { kind: string; atMs: number }): void;
  watchRestarted(seen: { kind: string }): void;
  retryScheduled(seen: { reason: FailureReason; delayMs: number }): void;
}

/** Told of the life of a work queue. */
export interface QueueObserver {
  /** An item became ready; a duplicate is not told. */
  added(): void;
  /** An item was added with a delay. */
  delayed(): void;
  /** An item was handed to a worker after having been ready for `waitedMs`. */
  started(waitedMs: number): void;
  finished(workedMs: number): void;
}

/** Told of the leader election of one Lease. */
export interface LeaderObserver {
  changed(isLeader: boolean): void;
  /** A renewal could not use what it remembered and read the Lease. */
  slowPath(): void;
}

/** What happens in one controller, in words; times are in milliseconds. No method throws on any argument. */
export interface ControllerObserver {
  readonly registry: RegistryRequests;
  readonly kube: KubeRequests;
  readonly queue: QueueObserver;
  readonly leader: LeaderObserver;
  workersStarted(count: number): void;
  reconcileStarted(): void;
  /** Ends what `reconcileStarted` began. Without a result nothing is counted: the reconcile was aborted. */
  reconcileFinished(seen: { result?: ReconcileResult; isTerminal?: boolean; durationMs: number }): void;
  /** A reconcile threw what nobody had classified. */
  reconcilePanicked(): void;
  reconcileTimedOut(): void;
  failed(seen: { class: FailureClass; reason: FailureReason }): void;
  /** A delay after a failure was scheduled: the one place where retries and backoff are counted, always together. */
  retryScheduled(seen: { layer: RetryLayer; reason: FailureReason; delayMs: number }): void;
  /** An object is well again, `outageMs` after the first failure; `class` is that of the last failure. */
  recovered(seen: { class: FailureClass; outageMs: number }): void;
  statusWritten(result: StatusWriteResult): void;
  /** `read` is asked at each scrape, from now on. A scrape goes on without it when it throws. */
  sampleAtScrape(read: () => ControllerSample): void;
}

/** What is true of a controller at this moment. */
export interface ControllerSample {
  /** Items ready and not handed out. */
  readonly queueDepth: number;
  /** Ages of the items in work. */
  readonly workAgesMs: readonly number[];
  readonly resources: Iterable<ResourceSample>;
}

/** What is true of one object at this moment. */
export interface ResourceSample {
  readonly ready: ReadyState;
  readonly reason: FailureReason;
  /** Class of the failure whose next attempt the object waits for. */
  readonly backoffClass?: FailureClass | undefined;
}

/** What the observers of one process share. */
export interface ObserverDeps {
  readonly metrics: Declarations;
  readonly registryHostLabel: (host: string) => string;
  readonly kubeHostLabel: (host: string) => string;
  readonly sampleAtScrape: (controller: string, read: () => ControllerSample) => void;
}

/** The observer of one controller. Its series exist from {@link initialiseSeries} on. */
export function createObserver(controller: string, deps: ObserverDeps): ControllerObserver {
  const { metrics } = deps;
  const retryScheduled: ControllerObserver['retryScheduled'] = ({ layer, reason, delayMs }) => {
    metrics.retries.inc({ controller, layer, reason });
    metrics.backoff.observe({ controller, layer }, seconds(delayMs));
  };
  return {
    registry: registryPart(deps, retryScheduled),
    kube: kubePart(controller, deps, retryScheduled),
    queue: queuePart(controller, metrics),
    leader: {
      changed: (isLeader) => {
        metrics.isLeader.set({ name: controller }, isLeader ? 1 : 0);
        metrics.leaderSlowPath.inc({ name: controller }, 0);
      },
      slowPath: () => {
        metrics.leaderSlowPath.inc({ name: controller });
      },
    },
    ...reconcilePart(controller, metrics),
    failed: (failure) => {
      metrics.failures.inc({ controller, class: failure.class, reason: failure.reason });
      if (failure.reason === 'Unknown') metrics.unclassifiedFailures.inc({ controller });
    },
    retryScheduled,
    recovered: (seen) => {
      metrics.failureDuration.observe({ controller, class: seen.class }, seconds(seen.outageMs));
    },
    statusWritten: (result) => {
      metrics.statusWrites.inc({ controller, result });
    },
    sampleAtScrape: (read) => {
      deps.sampleAtScrape(controller, read);
    },
  };
}

function reconcilePart(controller: string, metrics: Declarations) {
  const finished: ControllerObserver['reconcileFinished'] = ({ result, isTerminal, durationMs }) => {
    metrics.activeWorkers.dec({ controller });
    if (result === undefined) return;
    metrics.reconciles.inc({ controller, result });
    metrics.reconcileTime.observe({ controller }, seconds(durationMs));
    metrics.reconcileDuration.observe({ controller, result }, seconds(durationMs));
    if (result === 'error') metrics.reconcileErrors.inc({ controller });
    if (isTerminal === true) metrics.terminalReconcileErrors.inc({ controller });
  };
  return {
    workersStarted: (count: number) => {
      metrics.maxConcurrentReconciles.set({ controller }, count);
    },
    reconcileStarted: () => {
      metrics.activeWorkers.inc({ controller });
    },
    reconcileFinished: finished,
    reconcilePanicked: () => {
      metrics.reconcilePanics.inc({ controller });
    },
    reconcileTimedOut: () => {
      metrics.reconcileTimeouts.inc({ controller });
    },
  };
}

function registryPart(deps: ObserverDeps, retryScheduled: ControllerObserver['retryScheduled']): RegistryRequests {
  const { registryRequests, registryRequestDuration } = deps.metrics;
  return {
    requestFinished: ({ host: fullHost, operation, code, durationMs }) => {
      const host = deps.registryHostLabel(fullHost);
      registryRequests.inc({ host, operation, code: codeLabel(code) });
      registryRequestDuration.observe({ host, operation }, seconds(durationMs));
    },
    retryScheduled: ({ reason, delayMs }) => {
      retryScheduled({ layer: 'request', reason, delayMs });
    },
  };
}

function kubePart(
  controller: string,
  deps: ObserverDeps,
  retryScheduled: ControllerObserver['retryScheduled'],
): KubeRequests {
  const { kubeRequests, kubeRequestDuration, informerLastEvent, informerRestarts } = deps.metrics;
  return {
    requestFinished: ({ method, verb, host: fullHost, code, durationMs }) => {
      const host = deps.kubeHostLabel(fullHost);
      kubeRequests.inc({ code, method, host });
      kubeRequestDuration.observe({ verb, host }, seconds(durationMs));
    },
    watching: ({ kind }) => {
      informerRestarts.inc({ controller, kind }, 0);
    },
    watchEvent: ({ kind, atMs }) => {
      informerLastEvent.set({ controller, kind }, seconds(atMs));
    },
    watchRestarted: ({ kind }) => {
      informerRestarts.inc({ controller, kind });
    },
    retryScheduled: ({ reason, delayMs }) => {
      retryScheduled({ layer: 'request', reason, delayMs });
    },
  };
}

function queuePart(controller: string, metrics: Declarations): QueueObserver {
  const labels = { name: controller, controller };
  return {
    added: () => {
      metrics.queueAdds.inc(labels);
    },
    delayed: () => {
      metrics.queueRetries.inc(labels);
    },
    started: (waitedMs) => {
      metrics.queueDuration.observe(labels, seconds(waitedMs));
    },
    finished: (workedMs) => {
      metrics.queueWorkDuration.observe(labels, seconds(workedMs));
    },
  };
}

const exactCodes = new Set(['401', '403', '404', '429', '<error>']);

/** A status as its hundred (`2xx`), but for those that say what to do about them. */
function codeLabel(code: string): string {
  if (exactCodes.has(code)) return code;
  return /^[1-5]\d\d$/.test(code) ? `${code.charAt(0)}xx` : 'other';
}

/** Milliseconds become seconds here and nowhere else; a number that is none counts as 0, because observe() throws on it. */
function seconds(ms: number): number {
  return Number.isFinite(ms) && ms > 0 ? ms / 1000 : 0;
}
