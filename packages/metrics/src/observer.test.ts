import { failureReasons } from '@buildkeeper/retry-policy';
import { describe, expect, it } from 'vitest';
import { createMetrics } from './create-metrics.ts';
import { parseExposition, valueOf } from './testing/exposition.ts';

const controller = 'builder';
const rig = () => {
  const metrics = createMetrics({ controllers: [controller], version: '1.2.3', hasProcessMetrics: false });
  return { metrics, observer: metrics.observerFor(controller), scrape: async () => (await metrics.render()).body };
};

describe('createMetrics', () => {
  it('answers in text format 0.0.4', async () => {
    const { contentType } = await rig().metrics.render();
    expect(contentType).toBe('text/plain; version=0.0.4; charset=utf-8');
  });

  it('refuses a controller that was not declared', () => {
    expect(() => rig().metrics.observerFor('bulider')).toThrow(RangeError);
  });

  it('keeps two sets of metrics in one process apart', async () => {
    const [one, other] = [rig(), rig()];
    one.observer.failed({ class: 'auth', reason: 'AuthenticationFailed' });
    expect(valueOf(await one.scrape(), 'buildkeeper_failures_total')).toBe(1);
    expect(valueOf(await other.scrape(), 'buildkeeper_failures_total')).toBe(0);
  });
});

describe('series', () => {
  it('exist at 0 before anything happened', async () => {
    const text = await rig().scrape();
    const reasons = failureReasons.filter((reason) => !['Succeeded', 'DependencyNotReady'].includes(reason));
    for (const layer of ['request', 'reconcile']) {
      for (const reason of reasons) {
        expect(valueOf(text, 'buildkeeper_retries_total', { controller, layer, reason })).toBe(0);
      }
      expect(valueOf(text, 'buildkeeper_backoff_duration_seconds_count', { controller, layer })).toBe(0);
    }
    for (const result of ['success', 'error', 'requeue', 'requeue_after']) {
      expect(valueOf(text, 'controller_runtime_reconcile_total', { controller, result })).toBe(0);
    }
    const counters = [...parseExposition(text)].filter(([, { type }]) => type === 'counter');
    const withoutSeries = counters.filter(([, { samples }]) => samples.length === 0).map(([name]) => name);
    // Their hosts, kinds and Leases are not known before the first of each.
    expect(withoutSeries).toEqual([
      'rest_client_requests_total',
      'buildkeeper_registry_requests_total',
      'buildkeeper_informer_restarts_total',
      'leader_election_slowpath_total',
    ]);
  });

  it('have one label value for all hosts beyond the twentieth, and the reserved ones always their own', async () => {
    const options = { controllers: [controller], version: '1', hasProcessMetrics: false };
    const metrics = createMetrics({ ...options, registryHosts: ['reserved.example'] });
    const { registry } = metrics.observerFor(controller);
    for (let n = 0; n < 1000; n += 1) {
      registry.requestFinished({ host: `r${n}.example`, operation: 'blob', code: '200', durationMs: 1 });
    }
    registry.requestFinished({ host: 'reserved.example', operation: 'blob', code: '200', durationMs: 1 });
    const { body } = await metrics.render();
    const requests = parseExposition(body).get('buildkeeper_registry_requests_total')?.samples ?? [];
    const hosts = new Set(requests.map(({ labels }) => labels['host']));
    expect(hosts.size).toBe(21);
    expect(hosts).toContain('reserved.example');
    expect(hosts).toContain('r18.example');
    expect(valueOf(body, 'buildkeeper_registry_requests_total', { host: 'other' })).toBe(981);
  });

  it('stay under 4000 in a process with four controllers and a thousand hosts', async () => {
    const controllers = ['builder', 'clusterbuilder', 'clusterstore', 'clusterstack'];
    const metrics = createMetrics({ controllers, version: '1' });
    const { registry } = metrics.observerFor('builder');
    for (let n = 0; n < 1000; n += 1) {
      registry.requestFinished({ host: `r${n}.example`, operation: 'manifest', code: '200', durationMs: 1 });
    }
    const families = [...parseExposition((await metrics.render()).body).values()];
    expect(families.reduce((sum, { samples }) => sum + samples.length, 0)).toBeLessThan(4000);
  });
});

describe('ControllerObserver', () => {
  it('moves retries and backoff together, whichever layer scheduled the delay', async () => {
    const { observer, scrape } = rig();
    observer.registry.retryScheduled({ host: 'r', reason: 'RegistryError', delayMs: 250 });
    observer.kube.retryScheduled({ reason: 'KubernetesAPIError', delayMs: 500 });
    observer.retryScheduled({ layer: 'reconcile', reason: 'RegistryUnavailable', delayMs: 4000 });
    observer.retryScheduled({ layer: 'reconcile', reason: 'ImageNotFound', delayMs: 10_000 });
    const text = await scrape();
    for (const [layer, count, seconds] of [
      ['request', 2, 0.75],
      ['reconcile', 2, 14],
    ] as const) {
      expect(valueOf(text, 'buildkeeper_retries_total', { layer })).toBe(count);
      expect(valueOf(text, 'buildkeeper_backoff_duration_seconds_count', { layer })).toBe(count);
      expect(valueOf(text, 'buildkeeper_backoff_duration_seconds_sum', { layer })).toBe(seconds);
    }
  });

  it.each([
    { code: '200', label: '2xx' },
    { code: '307', label: '3xx' },
    { code: '401', label: '401' },
    { code: '403', label: '403' },
    { code: '404', label: '404' },
    { code: '418', label: '4xx' },
    { code: '429', label: '429' },
    { code: '503', label: '5xx' },
    { code: '<error>', label: '<error>' },
    { code: 'ECONNRESET', label: 'other' },
  ])('counts a registry answer $code as $label', async ({ code, label }) => {
    const { observer, scrape } = rig();
    observer.registry.requestFinished({ host: 'r', operation: 'manifest', code, durationMs: 1 });
    expect(valueOf(await scrape(), 'buildkeeper_registry_requests_total', { code: label })).toBe(1);
  });

  it('keeps the exact code and verb of a request to the API server', async () => {
    const { observer, scrape } = rig();
    observer.kube.requestFinished({ method: 'PATCH', verb: 'patch', host: 'k', code: '409', durationMs: 300 });
    const text = await scrape();
    expect(valueOf(text, 'rest_client_requests_total', { code: '409', method: 'PATCH', host: 'k' })).toBe(1);
    expect(valueOf(text, 'rest_client_request_duration_seconds_bucket', { verb: 'patch', le: '0.25' })).toBe(0);
    expect(valueOf(text, 'rest_client_request_duration_seconds_bucket', { verb: 'patch', le: '0.5' })).toBe(1);
  });

  it.each([
    { seen: { result: 'success' as const }, errors: 0, terminal: 0 },
    { seen: { result: 'requeue_after' as const }, errors: 0, terminal: 0 },
    { seen: { result: 'error' as const, isTerminal: false }, errors: 1, terminal: 0 },
    { seen: { result: 'error' as const, isTerminal: true }, errors: 1, terminal: 1 },
  ])('counts a reconcile that ended as $seen', async ({ seen, errors, terminal }) => {
    const { observer, scrape } = rig();
    observer.reconcileStarted();
    expect(valueOf(await scrape(), 'controller_runtime_active_workers')).toBe(1);
    observer.reconcileFinished({ ...seen, durationMs: 90_000 });
    const text = await scrape();
    expect(valueOf(text, 'controller_runtime_active_workers')).toBe(0);
    expect(valueOf(text, 'controller_runtime_reconcile_total', { result: seen.result })).toBe(1);
    expect(valueOf(text, 'controller_runtime_reconcile_errors_total')).toBe(errors);
    expect(valueOf(text, 'controller_runtime_terminal_reconcile_errors_total')).toBe(terminal);
    expect(valueOf(text, 'buildkeeper_reconcile_duration_seconds_bucket', { result: seen.result, le: '120' })).toBe(1);
    expect(valueOf(text, 'controller_runtime_reconcile_time_seconds_sum')).toBe(90);
  });

  it('counts nothing of a reconcile that was aborted', async () => {
    const { observer, scrape } = rig();
    observer.reconcileStarted();
    observer.reconcileFinished({ durationMs: 5 });
    const text = await scrape();
    expect(valueOf(text, 'controller_runtime_active_workers')).toBe(0);
    expect(valueOf(text, 'controller_runtime_reconcile_total')).toBe(0);
    expect(valueOf(text, 'controller_runtime_reconcile_time_seconds_count')).toBe(0);
  });

  it('counts failures that nobody knew apart', async () => {
    const { observer, scrape } = rig();
    observer.failed({ class: 'transient', reason: 'Unknown' });
    observer.failed({ class: 'transient', reason: 'RegistryTimeout' });
    const text = await scrape();
    expect(valueOf(text, 'buildkeeper_unclassified_failures_total')).toBe(1);
    expect(valueOf(text, 'buildkeeper_failures_total', { class: 'transient' })).toBe(2);
  });

  it('takes a time that is none for 0 instead of failing', async () => {
    const { observer, scrape } = rig();
    observer.queue.started(Number.NaN);
    observer.queue.finished(-1);
    const text = await scrape();
    expect(valueOf(text, 'workqueue_queue_duration_seconds_sum')).toBe(0);
    expect(valueOf(text, 'workqueue_work_duration_seconds_count')).toBe(1);
  });
});

describe('a scrape', () => {
  it('shows what is true at that moment, and nothing of an object that is gone', async () => {
    const { observer, scrape } = rig();
    const resources = [
      { ready: 'True' as const, reason: 'Succeeded' as const, backoffClass: 'auth' as const },
      { ready: 'False' as const, reason: 'RegistryUnavailable' as const, backoffClass: 'transient' as const },
    ];
    let now = { queueDepth: 3, workAgesMs: [1500, 500], resources };
    observer.sampleAtScrape(() => now);
    const before = await scrape();
    expect(valueOf(before, 'workqueue_depth')).toBe(3);
    expect(valueOf(before, 'workqueue_unfinished_work_seconds')).toBe(2);
    expect(valueOf(before, 'workqueue_longest_running_processor_seconds')).toBe(1.5);
    expect(valueOf(before, 'buildkeeper_resources', { ready: 'False', reason: 'RegistryUnavailable' })).toBe(1);
    expect(valueOf(before, 'buildkeeper_resources_in_backoff', { class: 'transient' })).toBe(1);
    now = { queueDepth: 0, workAgesMs: [], resources: [] };
    const after = await scrape();
    expect(valueOf(after, 'buildkeeper_resources')).toBe(0);
    expect(valueOf(after, 'buildkeeper_resources_in_backoff')).toBe(0);
    expect(valueOf(after, 'workqueue_longest_running_processor_seconds')).toBe(0);
  });

  it('counts a status that another program wrote under the nearest word of ours', async () => {
    const { observer, scrape } = rig();
    const resources = [{ ready: 'False' as const, reason: 'DependencyNotReady' as const }];
    observer.sampleAtScrape(() => ({ queueDepth: 0, workAgesMs: [], resources }));
    expect(valueOf(await scrape(), 'buildkeeper_resources', { ready: 'False', reason: 'Unknown' })).toBe(1);
  });

  it('goes on without what cannot be read', async () => {
    const { observer, scrape } = rig();
    observer.sampleAtScrape(() => {
      throw new Error('the store is broken');
    });
    observer.statusWritten('conflict');
    const text = await scrape();
    expect(valueOf(text, 'buildkeeper_status_writes_total', { result: 'conflict' })).toBe(1);
    expect(valueOf(text, 'workqueue_depth')).toBe(0);
  });
});
