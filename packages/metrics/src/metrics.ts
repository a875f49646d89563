import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { buckets } from './buckets.ts';

/** Every metric of a process, by what it counts. */
export type Declarations = ReturnType<typeof declareMetrics>;

/** Declares every metric of a process on `registry`. A name that is declared twice throws. */
export function declareMetrics(registry: Registry) {
  const declare = declarationsOn(registry);
  return {
    ...declareWorkQueue(declare),
    ...declareControllerRuntime(declare),
    ...declareClients(declare),
    ...declareLeaderElection(declare),
    ...declareRetries(declare),
    ...declareResources(declare),
  };
}

interface Declare {
  readonly counter: <L extends string>(name: string, help: string, labelNames: readonly L[]) => Counter<L>;
  readonly gauge: <L extends string>(name: string, help: string, labelNames: readonly L[]) => Gauge<L>;
  readonly histogram: <L extends string>(
    name: string,
    help: string,
    labelNames: readonly L[],
    bounds: readonly number[],
  ) => Histogram<L>;
}

function declarationsOn(registry: Registry): Declare {
  const registers = [registry];
  return {
    counter: (name, help, labelNames) => new Counter({ name, help, labelNames, registers }),
    gauge: (name, help, labelNames) => new Gauge({ name, help, labelNames, registers }),
    histogram: (name, help, labelNames, bounds) =>
      new Histogram({ name, help, labelNames, buckets: [...bounds], registers }),
  };
}

/** Names and meanings of the Kubernetes work queue, in the labels of the Go controller-runtime. */
function declareWorkQueue({ counter, gauge, histogram }: Declare) {
  const labels = ['name', 'controller'] as const;
  const name = (part: string) => `workqueue_${part}`;
  return {
    queueDepth: gauge(name('depth'), 'Items that are ready now and not yet handed to a worker.', [
      ...labels,
      'priority' as const,
    ]),
    queueAdds: counter(name('adds_total'), 'Items that became ready.', labels),
    queueDuration: histogram(name('queue_duration_seconds'), 'From ready to handed out.', labels, buckets.queue),
    queueWorkDuration: histogram(name('work_duration_seconds'), 'From handed out to done.', labels, buckets.queue),
    queueUnfinishedWork: gauge(name('unfinished_work_seconds'), 'Sum of the ages of the items in work.', labels),
    queueLongestRunning: gauge(
      name('longest_running_processor_seconds'),
      'Age of the item that has been in work longest.',
      labels,
    ),
    queueRetries: counter(name('retries_total'), 'Items that were added with a delay.', labels),
  };
}

/** Names and meanings of the Go controller-runtime, so that its dashboards work unchanged. */
function declareControllerRuntime({ counter, gauge, histogram }: Declare) {
  const labels = ['controller'] as const;
  const withResult = ['controller', 'result'] as const;
  const name = (part: string) => `controller_runtime_${part}`;
  return {
    reconciles: counter(name('reconcile_total'), 'Reconciles by result.', withResult),
    reconcileErrors: counter(name('reconcile_errors_total'), 'Reconciles that failed.', labels),
    terminalReconcileErrors: counter(
      name('terminal_reconcile_errors_total'),
      'Reconciles that failed on what only a change of an input can mend.',
      labels,
    ),
    reconcilePanics: counter(name('reconcile_panics_total'), 'Reconciles that threw what nobody classified.', labels),
    reconcileTimeouts: counter(name('reconcile_timeouts_total'), 'Reconciles that ran into their deadline.', labels),
    reconcileTime: histogram(name('reconcile_time_seconds'), 'Time of a reconcile.', labels, buckets.reconcileTime),
    maxConcurrentReconciles: gauge(name('max_concurrent_reconciles'), 'Workers of the controller.', labels),
    activeWorkers: gauge(name('active_workers'), 'Workers that are reconciling now.', labels),
    reconcileDuration: histogram(
      'buildkeeper_reconcile_duration_seconds',
      'Time of a reconcile by result, in bounds that fit a build.',
      withResult,
      buckets.reconcileDuration,
    ),
  };
}

function declareClients({ counter, gauge, histogram }: Declare) {
  return {
    kubeRequests: counter('rest_client_requests_total', 'Requests to the Kubernetes API.', ['code', 'method', 'host']),
    kubeRequestDuration: histogram(
      'rest_client_request_duration_seconds',
      'Time of a request to the Kubernetes API.',
      ['verb', 'host'],
      buckets.request,
    ),
    registryRequests: counter('buildkeeper_registry_requests_total', 'Requests to registries and token services.', [
      'host',
      'operation',
      'code',
    ]),
    registryRequestDuration: histogram(
      'buildkeeper_registry_request_duration_seconds',
      'Time of a request to a registry or token service.',
      ['host', 'operation'],
      buckets.request,
    ),
    informerLastEvent: gauge(
      'buildkeeper_informer_last_event_timestamp_seconds',
      'When the last watch event of a kind arrived.',
      ['controller', 'kind'],
    ),
    informerRestarts: counter('buildkeeper_informer_restarts_total', 'Watches that ended and were started anew.', [
      'controller',
      'kind',
    ]),
    statusWrites: counter('buildkeeper_status_writes_total', 'Patches of status by result.', ['controller', 'result']),
  };
}

function declareLeaderElection({ counter, gauge }: Declare) {
  return {
    isLeader: gauge('leader_election_master_status', '1 while this process leads, else 0.', ['name']),
    leaderSlowPath: counter('leader_election_slowpath_total', 'Renewals that had to read the Lease first.', ['name']),
  };
}

function declareRetries({ counter, histogram }: Declare) {
  return {
    retries: counter('buildkeeper_retries_total', 'Delays that were scheduled after a failure.', [
      'controller',
      'layer',
      'reason',
    ]),
    backoff: histogram(
      'buildkeeper_backoff_duration_seconds',
      'Delays that were scheduled after a failure.',
      ['controller', 'layer'],
      buckets.backoff,
    ),
    failures: counter('buildkeeper_failures_total', 'Reconciles that failed, by class and reason.', [
      'controller',
      'class',
      'reason',
    ]),
    unclassifiedFailures: counter(
      'buildkeeper_unclassified_failures_total',
      'Failures that no adapter knew: each is a gap in a classification table.',
      ['controller'],
    ),
    failureDuration: histogram(
      'buildkeeper_failure_duration_seconds',
      'From the first failure of an object to its next success.',
      ['controller', 'class'],
      buckets.failure,
    ),
  };
}

function declareResources({ gauge }: Declare) {
  return {
    resources: gauge('buildkeeper_resources', 'Objects by their Ready condition.', ['controller', 'ready', 'reason']),
    resourcesInBackoff: gauge('buildkeeper_resources_in_backoff', 'Objects that wait for their next attempt.', [
      'controller',
      'class',
    ]),
    buildInfo: gauge('buildkeeper_build_info', 'Always 1; what is running.', ['version', 'revision', 'node']),
  };
}
