import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readCommand } from '@buildkeeper/controller-runtime';
import { failureReasons } from '@buildkeeper/retry-policy';
import { describe, expect, it } from 'vitest';
import { reasonTexts } from './reason-texts.ts';
import { configExample } from './reference-flags.ts';
import { metricFamilies, registeredMetrics } from './reference-metrics.ts';
import { referenceFolder, referencePages } from './reference-pages.ts';
import { paceOf } from './reference-reasons.ts';

const root = resolve(import.meta.dirname, '../../..');
const folder = join(root, referenceFolder);
const committed = (name: string) => readFileSync(join(folder, name), 'utf8');
/** The metrics of the process depend on the system and on Node's version; the page shows those of Linux. */
const withoutProcess = (page: string) => page.split('\n## Of the process')[0];

describe('docs/reference', () => {
  it('holds the pages that are generated, and no other', async () => {
    expect(readdirSync(folder).sort()).toEqual([...(await referencePages()).keys()].sort());
  });

  it.each(['flags.md', 'reasons.md', 'metrics.md'])('has %s as `npm run generate` writes it', async (name) => {
    const page = (await referencePages()).get(name) ?? '';
    expect(withoutProcess(committed(name))).toBe(withoutProcess(page));
  });

  it('lists what the process has registered, on Linux', async () => {
    const { process } = await registeredMetrics();
    const page = committed('metrics.md');
    expect(process.length).toBeGreaterThan(20);
    expect(process.filter(({ name }) => !page.includes(`| \`${name}\` `)).map(({ name }) => name)).toEqual([]);
  });
});

describe('the page of metrics', () => {
  it('knows the labels of every metric of ours', async () => {
    const { own } = await registeredMetrics();
    expect(own.filter(({ labels }) => labels.length === 0)).toEqual([]);
  });

  it('reads name, type, help and labels of a scrape', () => {
    const text =
      '# HELP a_seconds What it is.\n# TYPE a_seconds histogram\na_seconds_bucket{le="1",host="x"} 0\n\n# HELP b B.\n# TYPE b gauge\nb 1\n';
    expect(metricFamilies(text)).toEqual([
      { name: 'a_seconds', type: 'histogram', help: 'What it is.', labels: ['host'] },
      { name: 'b', type: 'gauge', help: 'B.', labels: [] },
    ]);
  });
});

describe('the page of reasons', () => {
  it('names first the class that the metrics expect of a reason', async () => {
    const { createMetrics } = await import('@buildkeeper/metrics');
    const { body } = await createMetrics({ controllers: ['builder'], version: '0' }).render();
    const expected = [...body.matchAll(/^buildkeeper_failures_total\{.*class="(\w+)",reason="(\w+)"\}/gm)];
    expect(expected.length).toBeGreaterThan(10);
    for (const [, name, reason] of expected) {
      expect([reason, reasonTexts[reason as keyof typeof reasonTexts].classes[0]]).toEqual([reason, name]);
    }
  });

  it.each(failureReasons)('says when an object with %s is looked at again', (reason) => {
    expect(paceOf(reason)).toMatch(/\d/);
  });

  it.each(failureReasons)('links %s to a section of the operations page', (reason) => {
    expect(readFileSync(join(root, 'docs/operations.md'), 'utf8')).toMatch(new RegExp(`^### ${reason}$`, 'm'));
  });
});

describe('the page of flags', () => {
  it('shows a configuration file that is accepted', () => {
    const command = readCommand({ argv: ['--config', 'x'], env: {}, readFile: () => configExample });
    expect(command).toMatchObject({ kind: 'run', settings: { workers: 20 } });
  });
});
