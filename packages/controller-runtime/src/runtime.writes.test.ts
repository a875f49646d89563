import { startFaultProxy, type FaultProxy } from '@buildkeeper/embedded-cluster';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { failed, ready } from './outcome.ts';
import {
  conditionsOf,
  eventually,
  pause,
  retryOf,
  sampleOf,
  startRuntimeRig,
  widgetController,
  type RuntimeRig,
} from './testing/runtime-rig.ts';
import { failure } from './testing/widget.ts';

let rig: RuntimeRig;
let proxy: FaultProxy;
beforeEach(async () => {
  rig = await startRuntimeRig();
  proxy = await startFaultProxy({ targetPort: rig.api.port });
});
afterEach(async () => {
  await rig.close();
  await proxy.close();
});

const statusOfWidget = { method: 'PATCH', path: /widgets\/a\/status$/ };
const internal = { kind: 'status' as const, status: 500 };

describe('a status that cannot be written', () => {
  it.each([
    { what: 'a success', outcome: ready({ latestImage: 'good' }), want: 'UpToDate=True/Succeeded' },
    {
      what: 'a failure that is tried again much later',
      outcome: failed(failure({ class: 'notFound', reason: 'ImageNotFound' })),
      want: 'UpToDate=False/ImageNotFound',
    },
  ])('is written later, without another reconcile: $what', async ({ outcome, want }) => {
    let looks = 0;
    const fault = proxy.fault({ ...statusOfWidget, action: internal });
    const running = rig.start(
      widgetController(() => {
        looks += 1;
        return outcome;
      }),
      { server: proxy.url },
    );
    await rig.createWidget('a');
    await eventually(async () => {
      const series = 'buildkeeper_status_writes_total{controller="widget",result="error"}';
      return sampleOf(await running.scrape(), series) >= 1;
    });
    expect(looks).toBe(1);
    expect(await rig.events()).toEqual([]);
    fault.remove();
    await eventually(async () => conditionsOf(await rig.widget('a')).includes(want));
    await eventually(async () => (await rig.events()).length === 1);
    expect(looks).toBe(1);
  });

  it.each([
    { what: 'hangs, while the Lease is renewed', action: { kind: 'hang' as const } },
    { what: 'is answered with 404, though its object exists', action: { kind: 'status' as const, status: 404 } },
  ])('is written later in the same term when one patch $what', async ({ action }) => {
    const electionTimes = { leaseMs: 600, renewMs: 400, retryMs: 50 };
    let looks = 0;
    const fault = proxy.fault({ ...statusOfWidget, times: 1, action });
    const running = rig.start(
      widgetController(() => {
        looks += 1;
        return ready({ latestImage: 'good' });
      }),
      { server: proxy.url, argv: ['--leader-elect=true'], electionTimes },
    );
    await rig.createWidget('a');
    await eventually(async () => conditionsOf(await rig.widget('a')).includes('UpToDate=True/Succeeded'));
    await eventually(async () => (await rig.events()).length === 1);
    expect([fault.hits, looks]).toEqual([1, 1]);
    expect(running.lines.filter(({ message }) => message === 'leading')).toHaveLength(1);
  });

  it('does not lose the retry of what had failed', async () => {
    let looks = 0;
    proxy.fault({ ...statusOfWidget, action: internal });
    rig.start(
      widgetController(() => {
        looks += 1;
        return failed(failure());
      }),
      { server: proxy.url },
    );
    await rig.createWidget('a');
    await eventually(() => looks >= 3);
    proxy.clear();
    const object = await eventually(async () => {
      const found = await rig.widget('a');
      return retryOf(found) !== undefined && found;
    });
    expect(retryOf(object)?.attempts).toBeGreaterThanOrEqual(3);
  });

  it('is replaced by that of a new spec', async () => {
    const images: (string | undefined)[] = [];
    const fault = proxy.fault({ ...statusOfWidget, action: internal });
    const running = rig.start(
      widgetController(({ spec }) => {
        images.push(spec.image);
        return ready({ latestImage: spec.image });
      }),
      { server: proxy.url, argv: ['--retry-base=1m', '--retry-max=1h'] },
    );
    await rig.createWidget('a', { image: 'old' });
    await eventually(() => running.lines.some(({ message }) => message === 'The status cannot be written'));
    fault.remove();
    await rig.patchWidget('a', { spec: { image: 'new' } });
    await eventually(async () => conditionsOf(await rig.widget('a')).includes('UpToDate=True/Succeeded'));
    expect((await rig.widget('a')).status).toMatchObject({ latestImage: 'new', observedGeneration: 2 });
    expect(images).toEqual(['old', 'new']);
  });
});

describe('an object that somebody else changed during its reconcile', () => {
  it('gets its status on what they made of it, and nobody calls it an error', async () => {
    let looks = 0;
    const running = rig.start(
      widgetController(async () => {
        looks += 1;
        await rig.patchWidget('a', { metadata: { labels: { look: String(looks) } } });
        return ready({ latestImage: 'good' });
      }),
    );
    await rig.createWidget('a');
    await eventually(async () => conditionsOf(await rig.widget('a')).includes('UpToDate=True/Succeeded'));
    expect((await rig.widget('a')).metadata.labels).toEqual({ look: '1' });
    expect(looks).toBe(1);
    const scrape = await running.scrape();
    expect(sampleOf(scrape, 'buildkeeper_status_writes_total{controller="widget",result="success"}')).toBe(1);
    expect(sampleOf(scrape, 'buildkeeper_status_writes_total{controller="widget",result="error"}')).toBe(0);
    expect(sampleOf(scrape, 'controller_runtime_reconcile_errors_total{controller="widget"}')).toBe(0);
  });

  it('is reconciled anew when it was its spec that changed', async () => {
    const images: (string | undefined)[] = [];
    rig.start(
      widgetController(async ({ spec }) => {
        images.push(spec.image);
        if (spec.image === 'old') await rig.patchWidget('a', { spec: { image: 'new' } });
        return ready({ latestImage: spec.image });
      }),
    );
    await rig.createWidget('a', { image: 'old' });
    await eventually(async () => conditionsOf(await rig.widget('a')).includes('UpToDate=True/Succeeded'));
    await pause(50);
    expect((await rig.widget('a')).status).toMatchObject({ latestImage: 'new', observedGeneration: 2 });
    expect(images).toEqual(['old', 'new']);
  });
});

describe('a leader that is cut off from the API server', () => {
  it('writes nothing more once its term is over, and takes the work up again', async () => {
    const electionTimes = { leaseMs: 600, renewMs: 300, retryMs: 50 };
    let hang = false;
    const [hanging, aborted] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    const running = rig.start(
      widgetController(async (_, { signal }) => {
        if (!hang) return failed(failure());
        signal.addEventListener('abort', () => {
          aborted.resolve(undefined);
        });
        hanging.resolve(undefined);
        await new Promise((resolve) => setTimeout(resolve, 5000).unref());
        return ready({});
      }),
      { server: proxy.url, argv: ['--leader-elect=true'], electionTimes },
    );
    await rig.createWidget('a');
    await eventually(() => rig.statusPatches() >= 1);
    hang = true;
    await hanging.promise;
    await proxy.refuse();
    await aborted.promise;
    const patches = rig.statusPatches();
    hang = false;
    await pause(100);
    expect(rig.statusPatches()).toBe(patches);
    await proxy.accept();
    await eventually(() => rig.statusPatches() > patches);
    expect(running.lines.filter(({ message }) => message === 'leading').length).toBeGreaterThanOrEqual(2);
  });
});
