import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { failed, ready } from './outcome.ts';
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

const leasePath = '/apis/coordination.k8s.io/v1/namespaces/default/leases/buildkeeper-widget';
const leaseSpec = async () => (await rig.api.get(leasePath)) as unknown as { spec: { holderIdentity: string } };

describe('a restart', () => {
  const notFound = failed(failure({ class: 'notFound', reason: 'ImageNotFound' }));
  const failingUntil = (nextAttemptMs: number) => ({
    observedGeneration: 1,
    conditions: [{ type: 'UpToDate', status: 'False', reason: 'ImageNotFound' }],
    retry: {
      class: 'notFound',
      reason: 'ImageNotFound',
      attempts: 4,
      firstFailureTime: '2026-01-01T00:00:00Z',
      nextAttemptTime: new Date(nextAttemptMs).toISOString(),
      waitingFor: 'Backoff',
    },
  });
  const setStatus = (status: object) =>
    rig.api.patch('/apis/test.buildkeeper.io/v1/namespaces/default/widgets/a/status', { status });

  it('keeps to the attempt that was planned before it, and goes on counting', async () => {
    const plannedMs = Date.now() + 700;
    await rig.createWidget('a');
    await setStatus(failingUntil(plannedMs));
    let lookMs = 0;
    rig.start(
      widgetController(() => {
        lookMs = Date.now();
        return notFound;
      }),
    );
    await eventually(async () => retryOf(await rig.widget('a'))?.attempts === 5);
    expect(lookMs).toBeGreaterThanOrEqual(plannedMs - 2);
    // The exponent goes on too: the fifth delay is between 80 s and 160 s.
    const nextMs = Date.parse(retryOf(await rig.widget('a'))?.nextAttemptTime ?? '');
    expect(nextMs - lookMs).toBeGreaterThan(79_000);
    expect(await rig.events()).toEqual([]);
  });

  it('does not keep a new spec waiting', async () => {
    await rig.createWidget('a');
    await setStatus(failingUntil(Date.now() + 60_000));
    await rig.patchWidget('a', { spec: { image: 'mended' } });
    rig.start(widgetController(() => ready({})));
    await eventually(async () => conditionsOf(await rig.widget('a')).includes('UpToDate=True/Succeeded'));
  });
});

describe('a stop', () => {
  it('lets a reconcile end, writes its status, gives the Lease back, and takes no further work', async () => {
    const begun = Promise.withResolvers<undefined>();
    const looked: string[] = [];
    const running = rig.start(
      widgetController(async (widget) => {
        looked.push(widget.metadata.name);
        begun.resolve(undefined);
        await pause(150);
        return ready({ latestImage: 'finished' });
      }),
      { argv: ['--leader-elect=true', '--workers=1'] },
    );
    await rig.createWidget('a');
    await begun.promise;
    await rig.createWidget('b');
    expect((await leaseSpec()).spec.holderIdentity).toBe('test');
    await running.stop();
    expect((await rig.widget('a')).status).toMatchObject({ latestImage: 'finished' });
    expect(looked).toEqual(['a']);
    expect((await leaseSpec()).spec.holderIdentity).toBe('');
    await expect(running.scrape()).rejects.toThrow();
  });

  it('aborts what does not end in its grace, and neither writes nor counts it', async () => {
    const begun = Promise.withResolvers<undefined>();
    const running = rig.start(
      widgetController(async (_, { signal }) => {
        begun.resolve(undefined);
        await new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            reject(signal.reason as Error);
          });
        });
        return ready({});
      }),
      { stopGraceMs: 50 },
    );
    await rig.createWidget('a');
    await begun.promise;
    await running.stop();
    expect(rig.statusPatches()).toBe(0);
    expect(running.lines.find(({ message }) => message === 'reconciled')?.fields).toMatchObject({ outcome: 'aborted' });
  });
});

describe('a process', () => {
  it('lives from the first moment, and is ready once it knows all objects', async () => {
    const running = rig.start(
      widgetController(() => ready({})),
      { server: 'http://127.0.0.1:9' },
    );
    await eventually(() => running.lines.length > 0);
    expect(await running.scrape('/healthz')).toBe('ok\n');
    expect(await running.scrape('/readyz')).toContain('widgets.test.buildkeeper.io are not listed yet');
    await running.stop();
    const other = rig.start(widgetController(() => ready({})));
    await eventually(async () => (await other.scrape('/readyz')) === 'ok\n');
  });
});

describe('two processes', () => {
  const electionTimes = { leaseMs: 2000, renewMs: 1000, retryMs: 100 };
  const start = (identity: string) =>
    rig.start(
      widgetController(() => failed(failure())),
      { argv: ['--leader-elect=true'], electionTimes, identity },
    );
  const looks = (running: ReturnType<typeof start>) =>
    running.lines.filter(({ message }) => message === 'reconciled').length;
  const isLeader = async (running: ReturnType<typeof start>) =>
    sampleOf(await running.scrape(), 'leader_election_master_status{name="widget"}') === 1;

  it('work one after the other; the standby is ready, and counts no objects', async () => {
    const one = start('one');
    await rig.createWidget('a');
    await eventually(() => looks(one) > 0);
    const two = start('two');
    await eventually(async () => (await two.scrape('/readyz')) === 'ok\n');
    await pause(200);
    expect(looks(two)).toBe(0);
    expect([await isLeader(one), await isLeader(two)]).toEqual([true, false]);
    expect(sumOf(await two.scrape(), 'buildkeeper_resources', 'ready=')).toBe(0);
    await one.stop();
    await eventually(() => looks(two) > 0);
    expect(await isLeader(two)).toBe(true);
    expect(sumOf(await two.scrape(), 'buildkeeper_resources', 'ready=')).toBe(1);
  });
});
