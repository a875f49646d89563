import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { createMetrics } from './create-metrics.ts';
import { parseExposition, type Family } from './testing/exposition.ts';

const power = '1e-8 1e-7 0.000001 0.00001 0.0001 0.001 0.01 0.1 1 10 100 1000';
const reconcile =
  '0.005 0.01 0.025 0.05 0.1 0.15 0.2 0.25 0.3 0.35 0.4 0.45 0.5 0.6 0.7 0.8 0.9 1 1.25 1.5 1.75 2 2.5 3 3.5 4 4.5 5 6 7 8 9 10 15 20 25 30 40 50 60';
const request = '0.005 0.025 0.1 0.25 0.5 1 2 4 8 15 30 60';

/** Name, type, labels, and buckets of a histogram: what dashboards and alerts rest on. */
const golden = [
  'workqueue_depth gauge controller,name,priority',
  'workqueue_adds_total counter controller,name',
  `workqueue_queue_duration_seconds histogram controller,name ${power}`,
  `workqueue_work_duration_seconds histogram controller,name ${power}`,
  'workqueue_unfinished_work_seconds gauge controller,name',
  'workqueue_longest_running_processor_seconds gauge controller,name',
  'workqueue_retries_total counter controller,name',
  'controller_runtime_reconcile_total counter controller,result',
  'controller_runtime_reconcile_errors_total counter controller',
  'controller_runtime_terminal_reconcile_errors_total counter controller',
  'controller_runtime_reconcile_panics_total counter controller',
  'controller_runtime_reconcile_timeouts_total counter controller',
  `controller_runtime_reconcile_time_seconds histogram controller ${reconcile}`,
  'controller_runtime_max_concurrent_reconciles gauge controller',
  'controller_runtime_active_workers gauge controller',
  'rest_client_requests_total counter code,host,method',
  `rest_client_request_duration_seconds histogram host,verb ${request}`,
  'leader_election_master_status gauge name',
  'leader_election_slowpath_total counter name',
  'buildkeeper_retries_total counter controller,layer,reason',
  'buildkeeper_backoff_duration_seconds histogram controller,layer 0.1 0.2 0.5 1 2 4 8 15 30 60 120 300 600 900 3600',
  'buildkeeper_failures_total counter class,controller,reason',
  'buildkeeper_unclassified_failures_total counter controller',
  'buildkeeper_resources gauge controller,ready,reason',
  'buildkeeper_resources_in_backoff gauge class,controller',
  'buildkeeper_failure_duration_seconds histogram class,controller 1 5 15 30 60 120 300 600 1800 3600 14400 86400',
  'buildkeeper_registry_requests_total counter code,host,operation',
  `buildkeeper_registry_request_duration_seconds histogram host,operation ${request}`,
  'buildkeeper_reconcile_duration_seconds histogram controller,result 0.1 0.5 1 2 5 10 30 60 120 300 600 1200',
  'buildkeeper_informer_last_event_timestamp_seconds gauge controller,kind',
  'buildkeeper_informer_restarts_total counter controller,kind',
  'buildkeeper_status_writes_total counter controller,result',
  'buildkeeper_build_info gauge node,revision,version',
];

/** A scrape in which every metric has a series. */
async function fullScrape(options: { hasProcessMetrics: boolean }): Promise<string> {
  const metrics = createMetrics({ controllers: ['builder'], version: '1.2.3', ...options });
  const observer = metrics.observerFor('builder');
  observer.leader.changed(true);
  observer.kube.watching({ kind: 'Builder' });
  observer.kube.watchEvent({ kind: 'Builder', atMs: 1_700_000_000_000 });
  observer.kube.requestFinished({ method: 'GET', verb: 'list', host: 'kube:6443', code: '200', durationMs: 12 });
  observer.registry.requestFinished({ host: 'registry', operation: 'blob', code: '200', durationMs: 12 });
  return (await metrics.render()).body;
}

function describeFamily([name, { type, samples }]: [string, Family]): string {
  const labels = new Set(samples.flatMap((sample) => Object.keys(sample.labels)).filter((label) => label !== 'le'));
  const bounds = new Set(samples.map((sample) => sample.labels['le']).filter((bound) => bound !== undefined));
  const buckets = [...bounds].filter((bound) => bound !== '+Inf').join(' ');
  return [name, type, [...labels].sort().join(','), ...(buckets === '' ? [] : [buckets])].join(' ');
}

describe('the metrics of a process', () => {
  it('have exactly these names, types, labels and buckets', async () => {
    const families = [...parseExposition(await fullScrape({ hasProcessMetrics: false }))];
    expect(families.map(describeFamily).sort()).toEqual([...golden].sort());
  });

  it('include what the process itself uses, without names that break the rules', async () => {
    const names = [...parseExposition(await fullScrape({ hasProcessMetrics: true })).keys()];
    expect(names).toContain('process_cpu_seconds_total');
    expect(names).toContain('nodejs_eventloop_lag_p99_seconds');
    expect(names.filter((name) => /^nodejs_active_.*_total$/.test(name))).toEqual([]);
  });

  const hasPromtool = spawnSync('promtool', ['--version']).error === undefined;
  it.skipIf(!hasPromtool && process.env['CI'] === undefined)('pass promtool check metrics', async () => {
    const input = await fullScrape({ hasProcessMetrics: true });
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input, encoding: 'utf8' });
    expect({ status, output: `${stdout}${stderr}` }).toEqual({ status: 0, output: '' });
  });
});
