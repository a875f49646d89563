import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defineController } from './controller-definition.ts';
import { failed, ready, waitingOn, type Outcome } from './outcome.ts';
import { readStatus } from './object-status.ts';
import { requestAnnotation } from './reconcile-request.ts';
import {
  conditionsOf,
  eventually,
  pause,
  retryOf,
  startRuntimeRig,
  widgetController,
  type RuntimeRig,
} from './testing/runtime-rig.ts';
import { failure, gadgetResource, widgetResource, type Widget } from './testing/widget.ts';

let rig: RuntimeRig;
beforeEach(async () => {
  rig = await startRuntimeRig();
});
afterEach(() => rig.close());

const condition = (type: string, status: string, reason: string) => ({ type, status, reason });
const slow = failed(failure({ class: 'notFound', reason: 'ImageNotFound' }));
/** Counts the looks at each widget. */
function counted(verdict: (isRequested: boolean) => Outcome<object>) {
  const looks: boolean[] = [];
  const definition = widgetController((_, { isRequested }) => {
    looks.push(isRequested);
    return verdict(isRequested);
  });
  return { definition, looks };
}

describe('a dependency', () => {
  it('is waited for, and wakes who waits as soon as it is ready', async () => {
    const { definition, looks } = counted(() => ready({ latestImage: 'good' }));
    rig.start(definition);
    await rig.createWidget('a', { gadget: 'g' });
    await eventually(async () => conditionsOf(await rig.widget('a')).includes('Ready=Unknown/DependencyNotReady'));
    expect(retryOf(await rig.widget('a'))).toBeUndefined();
    await rig.setGadget('g', { conditions: [condition('Ready', 'True', 'Succeeded')] });
    await eventually(async () => conditionsOf(await rig.widget('a')).includes('Ready=True/Succeeded'));
    expect(looks).toHaveLength(1);
  });

  it('wakes nobody by one more failed attempt of its own', async () => {
    const { definition, looks } = counted(() => slow);
    const conditions = [condition('Ready', 'True', 'Succeeded'), condition('UpToDate', 'False', 'RegistryError')];
    await rig.setGadget('g', { conditions });
    rig.start(definition);
    await rig.createWidget('a', { gadget: 'g' });
    await eventually(() => looks.length === 1 && rig.statusPatches() === 1);
    for (let attempts = 1; attempts <= 3; attempts += 1) {
      await rig.setGadget('g', { conditions, observedGeneration: 1, retry: { attempts } });
    }
    await pause(150);
    expect([looks.length, rig.statusPatches()]).toEqual([1, 1]);
    await rig.setGadget('g', { conditions, image: 'newer' });
    await eventually(() => looks.length === 2);
  });
});

describe('a request by annotation', () => {
  it('is met at once, whatever was planned, and answered', async () => {
    const throttled = failed(failure({ class: 'throttled', reason: 'RegistryThrottled', retryAfterMs: 3_600_000 }));
    const { definition, looks } = counted((isRequested) => (isRequested ? ready({}) : throttled));
    rig.start(definition);
    await rig.createWidget('a');
    await eventually(() => rig.statusPatches() === 1);
    await rig.patchWidget('a', { metadata: { annotations: { [requestAnnotation]: 'first' } } });
    const object = await eventually(async () => {
      const found = await rig.widget('a');
      return readStatus(found.status).lastHandledReconcileAt === 'first' && found;
    });
    expect(conditionsOf(object)).toContain('UpToDate=True/Succeeded');
    await pause(100);
    expect(looks).toEqual([false, true]);
  });
});

describe('a server that asked for patience', () => {
  const throttledFor = (retryAfterMs: number) =>
    failed(failure({ class: 'throttled', reason: 'RegistryThrottled', retryAfterMs }));

  it('is left alone until then by all events but a request and a new spec', async () => {
    const looksAtMs: number[] = [];
    await rig.setGadget('g', { conditions: [condition('Ready', 'True', 'Succeeded')] });
    const controller = widgetController(() => {
      looksAtMs.push(Date.now());
      return throttledFor(looksAtMs.length === 1 ? 300 : 3_600_000);
    });
    rig.start(controller);
    await rig.createWidget('a', { gadget: 'g' });
    await eventually(() => rig.statusPatches() === 1);
    for (let n = 0; n < 5; n += 1) {
      await rig.setGadget('g', { image: `newer ${n}` });
      await rig.patchWidget('a', { metadata: { annotations: { unrelated: String(n) } } });
    }
    await eventually(() => looksAtMs.length === 2);
    expect((looksAtMs[1] ?? 0) - (looksAtMs[0] ?? 0)).toBeGreaterThanOrEqual(295);
    await rig.patchWidget('a', { spec: { image: 'elsewhere' } });
    await eventually(() => looksAtMs.length === 3);
  });
});

describe('a storm of events', () => {
  it('tries at once each time, and leaves the growth of the delay alone', async () => {
    const { definition, looks } = counted(() => failed(failure({ class: 'auth', reason: 'AuthenticationFailed' })));
    rig.start(definition, { argv: ['--auth-retry-base=60s', '--auth-retry-max=1h'] });
    await rig.createWidget('a');
    await eventually(() => rig.statusPatches() === 1);
    for (let n = 0; n < 5; n += 1) {
      await rig.patchWidget('a', { metadata: { annotations: { changed: String(n) } } });
      await eventually(() => rig.statusPatches() === n + 2);
    }
    expect(looks).toHaveLength(6);
    const retry = retryOf(await rig.widget('a'));
    expect(retry?.attempts).toBe(6);
    expect(Date.parse(retry?.nextAttemptTime ?? '') - Date.now()).toBeLessThanOrEqual(61_000);
  });
});

const assemble = (widget: Widget, gadget: object, signal: AbortSignal) =>
  Promise.resolve({ latestImage: `${widget.metadata.name} on ${Object.keys(gadget).length > 0} ${signal.aborted}` });

// The example of the README.
const readmeController = defineController({
  name: 'widget',
  resource: widgetResource,
  watches: [
    { resource: gadgetResource, affects: (changed, widget: Widget) => widget.spec.gadget === changed.metadata.name },
  ],
  createDeps: (env) => env.lister(gadgetResource),
  reconcile: async (widget: Widget, gadgets, { signal }) => {
    const gadget = gadgets.get(widget.spec.gadget ?? '');
    if (gadget === undefined) return waitingOn(`Gadget ${widget.spec.gadget} does not exist`);
    return ready(await assemble(widget, gadget, signal));
  },
});

it('the controller of the README waits for its dependency and then builds', async () => {
  rig.start(readmeController);
  await rig.createWidget('a', { gadget: 'g' });
  await eventually(async () => conditionsOf(await rig.widget('a')).includes('Ready=Unknown/DependencyNotReady'));
  await rig.setGadget('g', {});
  await eventually(async () => conditionsOf(await rig.widget('a')).includes('Ready=True/Succeeded'));
  expect((await rig.widget('a')).status).toMatchObject({ latestImage: 'a on true false' });
});
