import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { failed, ready, type Outcome } from './outcome.ts';
import {
  conditionsOf,
  eventually,
  pause,
  retryOf,
  sampleOf,
  startRuntimeRig,
  sumOf,
  widgetController,
  type RuntimeRig,
} from './testing/runtime-rig.ts';
import { failure } from './testing/widget.ts';

let rig: RuntimeRig;
beforeEach(async () => {
  rig = await startRuntimeRig();
});
afterEach(() => rig.close());

describe('an outage', () => {
  it('is told while it lasts, tried through, and recovered from without an act of anybody', async () => {
    let outcome: Outcome<object> = failed(failure());
    let attempts = 0;
    const running = rig.start(
      widgetController(() => {
        attempts += 1;
        return outcome;
      }),
    );
    await rig.createWidget('a');
    const failing = await eventually(async () => {
      const object = await rig.widget('a');
      return (retryOf(object)?.attempts ?? 0) >= 3 && object;
    });
    expect(conditionsOf(failing)).toEqual([
      'Ready=False/RegistryUnavailable',
      'UpToDate=False/RegistryUnavailable',
      'Reconciling=True/RegistryUnavailable',
    ]);
    expect(retryOf(failing)).toMatchObject({
      class: 'transient',
      host: 'registry.example:5000',
      waitingFor: 'Backoff',
    });
    const during = await running.scrape();
    expect(sampleOf(during, 'buildkeeper_resources_in_backoff{controller="widget",class="transient"}')).toBe(1);

    outcome = ready({ latestImage: 'registry.example/a@sha256:1' });
    const well = await eventually(async () => {
      const object = await rig.widget('a');
      return retryOf(object) === undefined && object;
    });
    expect(conditionsOf(well)).toEqual(['Ready=True/Succeeded', 'UpToDate=True/Succeeded']);
    expect(well.status).toMatchObject({ latestImage: 'registry.example/a@sha256:1', observedGeneration: 1 });
    expect(rig.statusPatches()).toBe(attempts);
    await eventually(async () => (await rig.events()).length === 2);
    expect(await rig.events()).toEqual([
      `RegistryUnavailable: ${failure().message}`,
      expect.stringMatching(/^Succeeded: Up to date again after .* and \d+ failed attempts$/),
    ]);

    const after = await running.scrape();
    const retries = sumOf(after, 'buildkeeper_retries_total', 'layer="reconcile"');
    expect(retries).toBe(attempts - 1);
    expect(sampleOf(after, 'buildkeeper_backoff_duration_seconds_count{controller="widget",layer="reconcile"}')).toBe(
      retries,
    );
    expect(sampleOf(after, 'controller_runtime_reconcile_errors_total{controller="widget"}')).toBe(attempts - 1);
    expect(sampleOf(after, 'controller_runtime_reconcile_total{controller="widget",result="success"}')).toBe(1);
    expect(sampleOf(after, 'buildkeeper_failure_duration_seconds_count{controller="widget",class="transient"}')).toBe(
      1,
    );
    expect(sampleOf(after, 'buildkeeper_resources{controller="widget",ready="True",reason="Succeeded"}')).toBe(1);
    expect(sampleOf(after, 'buildkeeper_resources_in_backoff{controller="widget",class="transient"}')).toBe(0);
    expect(sampleOf(after, 'buildkeeper_status_writes_total{controller="widget",result="success"}')).toBe(attempts);
  });

  it('leaves the last good result in place', async () => {
    let outcome: Outcome<object> = ready({ latestImage: 'good' });
    rig.start(widgetController(() => outcome));
    await rig.createWidget('a');
    await eventually(async () => conditionsOf(await rig.widget('a')).includes('UpToDate=True/Succeeded'));
    outcome = failed(failure());
    await rig.patchWidget('a', { spec: { image: 'another' } });
    const failing = await eventually(async () => {
      const object = await rig.widget('a');
      return retryOf(object) !== undefined && object;
    });
    expect(conditionsOf(failing)).toEqual([
      'Ready=True/Succeeded',
      'UpToDate=False/RegistryUnavailable',
      'Reconciling=True/RegistryUnavailable',
    ]);
    expect(failing.status).toMatchObject({ latestImage: 'good', observedGeneration: 2 });
  });

  it('of our own making is tried again as well, and its text stays in the log', async () => {
    const running = rig.start(
      widgetController(() => {
        throw new TypeError('secret hunter2 is not a function');
      }),
    );
    await rig.createWidget('a');
    const object = await eventually(async () => {
      const found = await rig.widget('a');
      return (retryOf(found)?.attempts ?? 0) >= 2 && found;
    });
    expect(JSON.stringify(object)).not.toContain('hunter2');
    expect(retryOf(object)).toMatchObject({ class: 'transient', reason: 'Unknown' });
    const scrape = await running.scrape();
    expect(sampleOf(scrape, 'controller_runtime_reconcile_panics_total{controller="widget"}')).toBeGreaterThan(1);
    expect(sampleOf(scrape, 'buildkeeper_unclassified_failures_total{controller="widget"}')).toBeGreaterThan(1);
    expect(running.lines.find(({ level }) => level === 'error')?.fields).toMatchObject({
      object: 'default/a',
      err: expect.objectContaining({ message: 'secret hunter2 is not a function' }) as object,
    });
  });

  it('in which the reconcile hangs ends at its deadline', async () => {
    let wasAborted = false;
    const running = rig.start(
      widgetController(
        (_, { signal }) =>
          new Promise(() => {
            signal.addEventListener('abort', () => (wasAborted = true));
          }),
      ),
      { argv: ['--reconcile-timeout=40ms'] },
    );
    await rig.createWidget('a');
    await eventually(async () => retryOf(await rig.widget('a'))?.reason === 'ReconcileTimeout');
    expect(wasAborted).toBe(true);
    const scrape = await running.scrape();
    expect(sampleOf(scrape, 'controller_runtime_reconcile_timeouts_total{controller="widget"}')).toBeGreaterThan(0);
  });
});

describe('a quiet time', () => {
  it('writes nothing, however often objects are checked', async () => {
    let looks = 0;
    rig.start(
      widgetController(() => {
        looks += 1;
        return ready({ latestImage: 'good' });
      }),
      { argv: ['--refresh-interval=100ms'] },
    );
    await rig.createWidget('a');
    await eventually(() => looks >= 4);
    expect(rig.statusPatches()).toBe(1);
    expect(await rig.events()).toEqual(['Succeeded: Up to date']);
  });

  it('is not broken by our own writes', async () => {
    let looks = 0;
    const slow = failed(failure({ class: 'notFound', reason: 'ImageNotFound' }));
    rig.start(
      widgetController(() => {
        looks += 1;
        return slow;
      }),
    );
    await rig.createWidget('a');
    await eventually(() => rig.statusPatches() === 1);
    await pause(200);
    expect([looks, rig.statusPatches()]).toEqual([1, 1]);
  });

  it('writes one line for each reconcile', async () => {
    const running = rig.start(widgetController(() => ready({})));
    await rig.createWidget('a');
    const line = await eventually(() => running.lines.find(({ message }) => message === 'reconciled'));
    expect(line).toMatchObject({
      level: 'info',
      fields: { controller: 'widget', object: 'default/a', outcome: 'ready', reason: 'Succeeded' },
    });
    expect(Object.keys(line.fields)).toEqual(expect.arrayContaining(['durationMs', 'requeueAfterMs']));
  });

  it('has no trace of an object that was deleted', async () => {
    const running = rig.start(widgetController(() => failed(failure())));
    await rig.createWidget('a');
    await eventually(() => rig.statusPatches() >= 1);
    await rig.api.delete('/apis/test.buildkeeper.io/v1/namespaces/default/widgets/a');
    await eventually(async () => sumOf(await running.scrape(), 'buildkeeper_resources', 'ready=') === 0);
    const looks = () => running.lines.filter(({ message }) => message === 'reconciled').length;
    await pause(150);
    const before = looks();
    await pause(150);
    expect(looks()).toBe(before);
  });
});
