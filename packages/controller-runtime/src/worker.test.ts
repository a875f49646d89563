import { afterEach, describe, expect, it } from 'vitest';
import { KubeError } from '@buildkeeper/kube-client';
import { readStatus } from './object-status.ts';
import { failed, ready, waitingOn, type Outcome } from './outcome.ts';
import { requestAnnotation } from './reconcile-request.ts';
import { sampleOf } from './testing/runtime-rig.ts';
import { startWorkerRig, type WorkerRigOptions } from './testing/worker-rig.ts';
import { failure, widget, type Widget } from './testing/widget.ts';

const minute = 60_000;
const hour = 60 * minute;
const running: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((rig) => rig.stop()));
});

/** One widget, whose looks are noted at their times since the start. */
function rig(
  verdict: () => Outcome<object> | Promise<Outcome<object>>,
  options: WorkerRigOptions = {},
  object = widget(),
) {
  const looksMs: number[] = [];
  const controller = startWorkerRig(
    [object],
    () => {
      looksMs.push(controller.clock.monotonicMs());
      return verdict();
    },
    options,
  );
  running.push(controller);
  const retry = () => readStatus(controller.store.get('team/a')?.status).retry;
  return { ...controller, looksMs, retry };
}
let seed = 5;
const seeded = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;

describe('an outage of an hour', () => {
  it('costs two dozen attempts and as many patches, and ends within the cap of the delay after it', async () => {
    let outcome: Outcome<object> = failed(failure());
    const { clock, looksMs, server, events, retry } = rig(() => outcome, { random: seeded });
    await clock.advance(hour);
    expect(looksMs.length).toBeGreaterThanOrEqual(21);
    expect(looksMs.length).toBeLessThanOrEqual(27);
    expect(server.patches).toHaveLength(looksMs.length);
    expect(retry()?.attempts).toBe(looksMs.length);
    outcome = ready({});
    await clock.advance(5 * minute);
    expect(retry()).toBeUndefined();
    expect(events.map(({ reason }) => reason)).toEqual(['RegistryUnavailable', 'Succeeded']);
  });
});

describe('the next look', () => {
  it.each([
    {
      because: 'it is well: the first refresh is spread',
      outcome: ready({}),
      options: {},
      from: minute,
      to: 16.5 * minute,
    },
    { because: 'it waits', outcome: waitingOn('x'), options: {}, from: 4.5 * minute, to: 5.5 * minute },
    {
      because: 'its ServiceAccount is missing',
      outcome: waitingOn('x', { pace: 'auth' }),
      options: {},
      from: 15_000,
      to: 30_000,
    },
    {
      because: 'its spec is invalid',
      outcome: failed(failure({ class: 'invalid', reason: 'SpecInvalid' })),
      options: {},
      from: hour / 2,
      to: 1.5 * hour,
    },
    {
      because: 'a certificate is wrong',
      outcome: failed(failure({ reason: 'TLSVerificationFailed' })),
      options: {},
      from: 30_000,
      to: minute,
    },
    {
      because: 'a flag says so',
      outcome: failed(failure()),
      options: { argv: ['--retry-base=10s'] },
      from: 5000,
      to: 10_000,
    },
  ])('comes in time when $because', async ({ outcome, options, from, to }) => {
    const { clock, looksMs } = rig(() => outcome, { random: seeded, ...options });
    await clock.advance(from - 1);
    expect(looksMs).toHaveLength(1);
    await clock.advance(to - from + 1);
    expect(looksMs).toHaveLength(2);
  });

  it('of what is well comes about every interval from then on, and writes nothing', async () => {
    const { clock, looksMs, server } = rig(() => ready({ latestImage: 'good' }), { random: seeded });
    await clock.advance(24 * hour);
    const gapsMs = looksMs.slice(2).map((ms, at) => ms - (looksMs[at + 1] ?? 0));
    expect(gapsMs.length).toBeGreaterThan(80);
    expect(Math.min(...gapsMs)).toBeGreaterThanOrEqual(13.5 * minute);
    expect(Math.max(...gapsMs)).toBeLessThanOrEqual(16.5 * minute);
    expect(server.patches).toHaveLength(1);
  });
});

describe('an input that changes while its object is reconciled', () => {
  it('starts the backoff afresh and is looked at once more', async () => {
    let onLook = () => undefined as void;
    const { clock, looksMs, triggers, retry } = rig(() => {
      onLook();
      return failed(failure({ class: 'notFound', reason: 'ImageNotFound' }));
    });
    await clock.advance(10 * minute);
    const before = looksMs.length;
    expect(retry()?.attempts).toBe(before);
    onLook = () => {
      onLook = () => undefined;
      triggers.wakeFailedBy('ImageNotFound');
    };
    while (looksMs.length === before) await clock.advance(1000);
    await clock.advance(0);
    expect(looksMs).toHaveLength(before + 2);
    // Base 10 s, and the draw is in the middle of half and whole.
    expect(clock.nextDueInMs).toBeLessThanOrEqual(7500);
  });
});

describe('an object whose ServiceAccount is missing', () => {
  const missing = waitingOn('ServiceAccount team/default does not exist', { pace: 'auth' });

  it('is looked at no later for the events that came in between', async () => {
    const { clock, queue, looksMs } = rig(() => missing, { random: () => 1 });
    await clock.advance(0);
    for (let event = 0; event < 10; event += 1) {
      queue.add('team/a');
      await clock.advance(1);
    }
    expect(looksMs).toHaveLength(11);
    await clock.advance(30_000);
    expect(looksMs).toHaveLength(12);
    await clock.advance(59_000);
    expect(looksMs).toHaveLength(12);
    await clock.advance(1000);
    expect(looksMs).toHaveLength(13);
  });

  it('is looked at as soon as something happens, though a registry had named it a time before', async () => {
    const throttled = failed(failure({ class: 'throttled', reason: 'RegistryThrottled', retryAfterMs: 1000 }));
    let outcome: Outcome<object> = throttled;
    const { clock, queue, looksMs } = rig(() => outcome, { random: () => 0 });
    await clock.advance(0);
    queue.add('team/a');
    await clock.advance(999);
    expect(looksMs).toEqual([0]);
    outcome = missing;
    await clock.advance(1);
    queue.add('team/a');
    await clock.advance(0);
    expect(looksMs).toEqual([0, 1000, 1000]);
  });
});

describe('an input that changes before a status could be written', () => {
  it('is looked at, though the write comes due while all workers are busy', async () => {
    const times = { firstFailureTime: '2025-12-31T23:00:00Z', nextAttemptTime: '2025-12-31T23:00:00Z' };
    const retry = { class: 'notFound', reason: 'ImageNotFound', attempts: 1, waitingFor: 'Backoff', ...times };
    const [a, b] = ['a', 'b'].map((name) =>
      widget({ metadata: { name, uid: `uid-${name}` }, status: { observedGeneration: 1, retry } }),
    ) as [Widget, Widget];
    const looks: string[] = [];
    const controller = startWorkerRig(
      [a, b],
      async ({ metadata: { name } }) => {
        looks.push(name);
        if (looks.length === 1) controller.triggers.wakeFailedBy('ImageNotFound');
        if (name === 'b') await controller.clock.sleep(5000, new AbortController().signal);
        return failed(failure({ class: 'notFound', reason: 'ImageNotFound' }));
      },
      { workers: 1, random: () => 1 },
    );
    running.push(controller);
    controller.server.refusal = new KubeError(failure({ reason: 'KubernetesAPIError' }));
    await controller.clock.advance(5000);
    expect(looks).toEqual(['a', 'b', 'a']);
  });
});

describe('a reconcile that is over its time', () => {
  it('is given up, though it ignores its signal, and the next one is not kept from starting', async () => {
    const { clock, looksMs, retry, scrape } = rig(() => new Promise(() => undefined), { random: () => 0 });
    await clock.advance(10 * minute);
    expect(retry()).toMatchObject({ reason: 'ReconcileTimeout', attempts: 1 });
    await clock.advance(1000);
    expect(looksMs).toHaveLength(2);
    expect(sampleOf(await scrape(), 'controller_runtime_reconcile_timeouts_total{controller="widget"}')).toBe(1);
  });
});

describe('an object that is', () => {
  it.each([
    { what: 'being deleted', object: widget({ metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }) },
    { what: 'gone', object: undefined },
  ])('$what is left alone', async ({ object }) => {
    const { clock, queue, looksMs } = rig(() => ready({}), {}, object ?? widget({ metadata: { name: 'b' } }));
    queue.add('team/a');
    await clock.advance(hour / 60);
    expect(looksMs.length).toBe(object === undefined ? 1 : 0);
    expect(queue.delayedCount).toBe(object === undefined ? 1 : 0);
  });
});

describe('a status in a shape of its own', () => {
  it('stops no worker', async () => {
    const odd = widget({
      status: { conditions: 'none', retry: 7, observedGeneration: 'x', lastHandledReconcileAt: {} },
    });
    const { clock, store } = rig(() => ready({}), {}, odd);
    await clock.advance(0);
    expect(store.get('team/a')?.status).toMatchObject({ observedGeneration: 1, conditions: [{ type: 'Ready' }, {}] });
  });
});

describe('a reconcile whose status is no JSON', () => {
  it('stops no worker either, and is looked at again', async () => {
    const odd = () => ready({ size: 1n });
    const { clock, looksMs, lines, scrape } = rig(odd, { workers: 1 });
    await clock.advance(5 * minute);
    expect(looksMs).toHaveLength(2);
    expect(lines.filter(({ level }) => level === 'error')).toHaveLength(2);
    expect(sampleOf(await scrape(), 'controller_runtime_reconcile_panics_total{controller="widget"}')).toBe(2);
  });
});

describe('a lost term', () => {
  it('ends what was begun, and neither writes nor counts nor tells it', async () => {
    const { clock, lost, server, events, scrape, looksMs, lines } = rig(() => new Promise(() => undefined));
    await clock.advance(0);
    lost.abort(new Error('The leadership is lost'));
    await clock.advance(hour);
    expect(looksMs).toHaveLength(1);
    expect([server.patches, events]).toEqual([[], []]);
    const text = await scrape();
    for (const result of ['success', 'error', 'requeue', 'requeue_after']) {
      expect(sampleOf(text, `controller_runtime_reconcile_total{controller="widget",result="${result}"}`)).toBe(0);
    }
    expect(sampleOf(text, 'controller_runtime_active_workers{controller="widget"}')).toBe(0);
    expect(lines.map(({ fields }) => fields['outcome'])).toEqual(['aborted']);
  });
});

describe('a status that the server refuses', () => {
  const refuse = (part: Parameters<typeof failure>[0]) =>
    new KubeError(failure({ reason: 'KubernetesAPIError', ...part }));

  it('is tried again at a growing pace, while the object is reconciled no sooner than was planned', async () => {
    const slow = failed(failure({ class: 'notFound', reason: 'ImageNotFound' }));
    const { clock, server, looksMs, events, scrape } = rig(() => slow, { random: () => 1 });
    server.refusal = refuse({});
    await clock.advance(9999);
    expect(looksMs).toEqual([0]);
    // At 0, 1, 3 and 7 s.
    expect(server.patches).toHaveLength(4);
    await clock.advance(1);
    expect(looksMs).toEqual([0, 10_000]);
    server.refusal = undefined;
    await clock.advance(2000);
    expect(looksMs).toHaveLength(2);
    expect(events).toHaveLength(1);
    const text = await scrape();
    expect(sampleOf(text, 'buildkeeper_status_writes_total{controller="widget",result="success"}')).toBe(1);
    const count = sampleOf(text, 'buildkeeper_backoff_duration_seconds_count{controller="widget",layer="reconcile"}');
    const [own, written] = ['ImageNotFound', 'KubernetesAPIError'].map((reason) =>
      sampleOf(text, `buildkeeper_retries_total{controller="widget",layer="reconcile",reason="${reason}"}`),
    );
    expect((own ?? 0) + (written ?? 0)).toBe(count);
  });

  it('because of a lost race is tried again within a second at most, and is no error', async () => {
    const { clock, server, looksMs, scrape, lines } = rig(() => ready({}), { random: () => 1 });
    server.refusal = refuse({ class: 'conflict', reason: 'Conflict', httpStatus: 409 });
    await clock.advance(10_000);
    expect(looksMs).toEqual([0]);
    expect(server.patches.length).toBeGreaterThan(15);
    expect(server.patches.length).toBeLessThan(20);
    expect(sampleOf(await scrape(), 'controller_runtime_reconcile_errors_total{controller="widget"}')).toBe(0);
    expect(lines.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([]);
  });

  it('is not sent again for an object that is gone', async () => {
    const { clock, store, server, queue, lines } = rig(() => {
      store.drop('team/a');
      return ready({});
    });
    server.refusal = refuse({ class: 'notFound', httpStatus: 404 });
    await clock.advance(hour);
    expect(server.patches).toHaveLength(1);
    expect(queue.delayedCount).toBe(0);
    expect(lines.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([]);
  });

  it('because the object is gone leaves the one that took its name to a reconcile', async () => {
    const { clock, store, server, looksMs, events } = rig(() => {
      if (looksMs.length > 1) return ready({ latestImage: 'good' });
      store.put(widget({ metadata: { uid: 'uid-b' } }));
      server.refusal = refuse({ class: 'notFound', httpStatus: 404 });
      return ready({ latestImage: 'old' });
    });
    await clock.advance(0);
    server.refusal = undefined;
    await clock.advance(minute);
    expect(looksMs[1]).toBeLessThanOrEqual(minute);
    expect(store.get('team/a')?.status).toMatchObject({ latestImage: 'good' });
    expect(events).toHaveLength(1);
  });

  it.each([
    {
      because: 'a request comes in between',
      metadata: { annotations: { [requestAnnotation]: 'now' } },
      retry: { attempts: 2, nextAttemptTime: '2026-01-01T00:00:11Z' },
    },
    {
      because: 'the spec changes in between',
      metadata: { generation: 2 },
      retry: { attempts: 1, nextAttemptTime: '2026-01-01T00:00:11Z' },
    },
    {
      because: 'another object takes its name in between',
      metadata: { uid: 'uid-b' },
      retry: { attempts: 1, firstFailureTime: '2026-01-01T00:00:01Z' },
    },
  ])(
    'gives way to a new reconcile, of which the delay is no longer, when $because',
    async ({ metadata, retry: want }) => {
      const slow = failed(failure({ class: 'notFound', reason: 'ImageNotFound' }));
      const { clock, server, looksMs, store, retry } = rig(() => slow, { random: () => 1 });
      server.refusal = refuse({});
      await clock.advance(500);
      // Only the store hears of it, so that the key comes out for the write that is due at 1 s.
      store.put(widget({ metadata: { ...metadata, resourceVersion: '2' } }));
      server.refusal = undefined;
      await clock.advance(500);
      expect(looksMs).toEqual([0, 1000]);
      expect(retry()).toMatchObject(want);
    },
  );

  it('is replaced when a person asks for a fresh look meanwhile', async () => {
    const { clock, server, looksMs, store, triggers } = rig(() => ready({}), { random: () => 1 });
    server.refusal = refuse({});
    await clock.advance(500);
    const previous = store.get('team/a') as Widget;
    const object = widget({ metadata: { annotations: { [requestAnnotation]: 'now' }, resourceVersion: '2' } });
    store.put(object);
    triggers.ownChanged({ type: 'updated', object, previous });
    server.refusal = undefined;
    await clock.advance(0);
    expect(looksMs).toEqual([0, 500]);
    expect(store.get('team/a')?.status).toMatchObject({ lastHandledReconcileAt: 'now' });
  });
});

describe('many objects', () => {
  it('that fail in the same moment are spread over the delay from the first retry on', async () => {
    const firstMs = new Map<string, number>();
    const objects = Array.from({ length: 500 }, (_, n) => widget({ metadata: { name: `w${n}`, uid: `uid-${n}` } }));
    const looks = new Map<string, number>();
    const controller = startWorkerRig(
      objects,
      ({ metadata: { name } }) => {
        looks.set(name, (looks.get(name) ?? 0) + 1);
        if (looks.get(name) === 5) firstMs.set(name, controller.clock.monotonicMs());
        return failed(failure());
      },
      { random: seeded, workers: 10 },
    );
    running.push(controller);
    await controller.clock.advance(16_000);
    expect(firstMs.size).toBe(500);
    const perSecond = Array.from({ length: 16 }, (_, second) => {
      return [...firstMs.values()].filter((ms) => Math.floor(ms / 1000) === second).length;
    });
    expect(Math.max(...perSecond)).toBeLessThan(150);
  });
});
