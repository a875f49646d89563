import { createMetrics } from '@buildkeeper/metrics';
import { failureClasses } from '@buildkeeper/retry-policy';
import { markdownTable } from './markdown-table.ts';

/** One metric, as a scrape shows it. */
export interface MetricFamily {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  /** Sorted; none when the metric has no series. */
  readonly labels: readonly string[];
}

/** The metrics in the text of a scrape. */
export const metricFamilies = (exposition: string): readonly MetricFamily[] => {
  const blocks = exposition.split(/^(?=# HELP )/m).filter((block) => block.startsWith('# HELP '));
  return blocks.map((block) => {
    const [, name = '', help = ''] = /^# HELP (\S+) (.*)$/m.exec(block) ?? [];
    const [, type = ''] = /^# TYPE \S+ (\S+)$/m.exec(block) ?? [];
    const names = [...block.matchAll(/[{,]([a-z_]+)="/g)].map((match) => match[1] ?? '');
    const labels = [...new Set(names)].filter((label) => label !== 'le' && label !== 'quantile').sort();
    return { name, type, help, labels };
  });
};

/** A scrape in which every metric of ours has a series. */
const scrape = async (hasProcessMetrics: boolean): Promise<readonly MetricFamily[]> => {
  const metrics = createMetrics({ controllers: ['builder'], version: '0', hasProcessMetrics });
  const { leader, kube, registry } = metrics.observerFor('builder');
  leader.changed(true);
  kube.watching({ kind: 'Builder' });
  kube.watchEvent({ kind: 'Builder', atMs: 0 });
  kube.requestFinished({ method: 'GET', verb: 'list', host: 'kubernetes', code: '200', durationMs: 1 });
  registry.requestFinished({ host: 'registry', operation: 'blob', code: '200', durationMs: 1 });
  return metricFamilies((await metrics.render()).body);
};

/** Every metric that a controller registers, ours and those of the process that it is. */
export const registeredMetrics = async (): Promise<{
  readonly own: readonly MetricFamily[];
  readonly process: readonly MetricFamily[];
}> => {
  const own = await scrape(false);
  const names = new Set(own.map(({ name }) => name));
  return { own, process: (await scrape(true)).filter(({ name }) => !names.has(name)) };
};

const unitOf = ({ name, type }: MetricFamily): string => {
  if (name.endsWith('_timestamp_seconds') || name.endsWith('_start_time_seconds')) return 'seconds since 1970';
  if (/_seconds(_total)?$/.test(name)) return 'seconds';
  if (name.endsWith('_bytes')) return 'bytes';
  if (/_(info|status)$/.test(name)) return '0 or 1';
  return type === 'gauge' ? 'how many now' : 'how many';
};

const lead = `# Metrics

Generated from what \`packages/metrics\` registers; \`npm run generate\` writes it anew. Each controller serves these at
\`/metrics\` of its \`--http-address\`, in the text format of Prometheus. Every series that can be listed is there from the
start, at 0. No label holds the name of an object or of an image.

## Ours

The names that begin with \`workqueue_\`, \`controller_runtime_\`, \`rest_client_\` and \`leader_election_\` mean what they mean in
controllers written in Go, so that their dashboards go on working.`;

const labelRows: readonly (readonly string[])[] = [
  ['`controller`, `name`', 'builder, clusterbuilder, clusterstore, clusterstack'],
  ['`reason`', 'a word of [reasons.md](reasons.md)'],
  ['`class`', failureClasses.filter((name) => name !== 'aborted').join(', ')],
  ['`layer`', '`request`: repeated inside a reconcile; `reconcile`: the object was put off'],
  [
    '`result` of reconciles',
    'success; `requeue_after`: waits for a dependency; error; `requeue`: lost a race for the object',
  ],
  ['`result` of status writes', 'success, conflict, error'],
  ['`ready`', 'status of the Ready condition: True, False, Unknown'],
  ['`host`', 'registries: those that flags name, and the first seen, 20 in all; the others are `other`'],
  ['`operation`', 'manifest, blob, upload, token'],
  ['`code`', 'registries: 2xx, 3xx, 4xx, 5xx, exact for 401, 403, 404 and 429, `<error>` without an answer'],
  ['`kind`', 'kind of the objects that are watched'],
  ['`priority`', 'always empty; there because the Go controllers have it'],
];

const processLead = `## Of the process

From prom-client, the library behind \`/metrics\`, as on Linux; some are absent elsewhere.`;

/** The page about the metrics of a controller. */
export const metricsPage = async (): Promise<string> => {
  const { own, process } = await registeredMetrics();
  const code = (text: string) => `\`${text}\``;
  const ownRows = own.map((one) => [code(one.name), one.type, one.labels.map(code).join(', '), unitOf(one), one.help]);
  const processRows = process.map((one) => [code(one.name), one.type, unitOf(one), one.help]);
  return [
    lead,
    markdownTable(['Metric', 'Type', 'Labels', 'Unit', 'What it says'], ownRows),
    markdownTable(['Label', 'Values'], labelRows),
    processLead,
    `${markdownTable(['Metric', 'Type', 'Unit', 'What it says'], processRows)}\n`,
  ].join('\n\n');
};
