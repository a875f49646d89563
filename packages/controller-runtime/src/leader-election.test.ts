import { ManualClock } from '@buildkeeper/retry-policy';
import { describe, expect, it } from 'vitest';
import { standForElection, undisputedLeadership, type Leadership } from './leader-election.ts';
import { LeaseServer } from './testing/lease-server.ts';
import { createRecordedLog } from './testing/recorded-log.ts';

interface Candidate {
  readonly stop: AbortController;
  readonly ended: Promise<void>;
  /** The running term. */
  leadership: Leadership | undefined;
  terms: number;
  readonly gauge: boolean[];
  slowPaths: number;
}

function rig() {
  const clock = new ManualClock();
  const server = new LeaseServer();
  const start = (name: string, options: { random?: () => number; clockOf?: ManualClock } = {}): Candidate => {
    const stop = new AbortController();
    const candidate: Candidate = {
      stop,
      leadership: undefined,
      terms: 0,
      gauge: [],
      slowPaths: 0,
      ended: Promise.resolve(),
    };
    const lead = async (leadership: Leadership) => {
      candidate.leadership = leadership;
      candidate.terms += 1;
      const over = AbortSignal.any([leadership.signal, stop.signal]);
      await new Promise((resolve) => {
        over.addEventListener('abort', resolve, { once: true });
      });
      candidate.leadership = undefined;
    };
    const observer = {
      changed: (isLeader: boolean) => candidate.gauge.push(isLeader),
      slowPath: () => (candidate.slowPaths += 1),
    };
    const ended = standForElection(
      {
        lease: server.clientOf(name),
        identity: name,
        clock: options.clockOf ?? clock,
        random: options.random ?? (() => 0),
        observer,
        log: createRecordedLog().log,
      },
      lead,
      stop.signal,
    );
    return Object.assign(candidate, { ended });
  };
  const stopAll = async (...all: Candidate[]) => {
    for (const { stop } of all) stop.abort();
    await clock.advance(0);
    await Promise.all(all.map(({ ended }) => ended));
  };
  return { clock, server, start, stopAll };
}

describe('standForElection', () => {
  it('leads at once where nobody does, and renews every two seconds without reading', async () => {
    const { clock, server, start, stopAll } = rig();
    const one = start('one');
    await clock.advance(0);
    expect(server.lease?.spec).toEqual({
      holderIdentity: 'one',
      leaseDurationSeconds: 15,
      acquireTime: '2026-01-01T00:00:00.000000Z',
      renewTime: '2026-01-01T00:00:00.000000Z',
      leaseTransitions: 0,
    });
    await clock.advance(60_000);
    expect(server.writes).toBe(31);
    expect(server.lease?.spec).toMatchObject({
      acquireTime: '2026-01-01T00:00:00.000000Z',
      renewTime: '2026-01-01T00:01:00.000000Z',
    });
    expect(one).toMatchObject({ terms: 1, slowPaths: 0, gauge: [false, true] });
    await stopAll(one);
  });

  it('has one leader among two, however long they run', async () => {
    const { clock, start, stopAll } = rig();
    const [one, two] = [start('one'), start('two')];
    await clock.advance(600_000);
    expect([one.terms, two.terms]).toEqual([1, 0]);
    await stopAll(one, two);
  });

  it('gives the Lease back on a stop, so that another leads within one try', async () => {
    const { clock, server, start, stopAll } = rig();
    const [one, two] = [start('one'), start('two')];
    await clock.advance(10_000);
    one.stop.abort();
    await clock.advance(0);
    await one.ended;
    expect(server.lease?.spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 });
    expect(one.gauge.at(-1)).toBe(false);
    await clock.advance(2000);
    expect(two.leadership).toBeDefined();
    expect(server.lease?.spec).toMatchObject({ holderIdentity: 'two', leaseTransitions: 1 });
    await stopAll(two);
  });

  it.each(['refused', 'hanging'] as const)(
    'steps down ten seconds after its last renewal when calls are %s',
    async (how) => {
      const { clock, server, start, stopAll } = rig();
      const [one, two] = [start('one'), start('two')];
      await clock.advance(1000);
      const term = one.leadership;
      server.cutOff('one', how);
      await clock.advance(8999);
      expect(term?.signal.aborted).toBe(false);
      expect(term?.remainingMs()).toBe(1);
      await clock.advance(1);
      expect(term?.signal.aborted).toBe(true);
      expect(term?.remainingMs()).toBe(0);
      expect(one.gauge).toEqual([false, true, false]);
      expect(two.leadership).toBeUndefined();
      // Two saw the Lease at its second try, at 2 s: it runs out at 17 s, and the next try is at 18 s.
      await clock.advance(7999);
      expect(two.leadership).toBeUndefined();
      await clock.advance(1);
      expect(two.leadership).toBeDefined();
      await stopAll(one, two);
    },
  );

  it('never has two leaders, whoever is cut off and when', async () => {
    const { clock, server, start, stopAll } = rig();
    let seed = 11;
    const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
    const all = [start('0', { random }), start('1', { random }), start('2', { random })];
    let ledMs = 0;
    for (let n = 0; n < 400; n += 1) {
      const who = String(Math.floor(random() * 3));
      if (random() < 0.3) server.cutOff(who, random() < 0.5 ? 'refused' : 'hanging');
      else server.restore(who);
      await clock.advance(1000 + random() * 3000);
      const leaders = all.filter(({ leadership }) => leadership !== undefined);
      expect(leaders.length).toBeLessThanOrEqual(1);
      ledMs += leaders.length;
    }
    expect(ledMs).toBeGreaterThan(200);
    expect(all.filter(({ terms }) => terms > 0).length).toBe(3);
    for (const who of ['0', '1', '2']) server.restore(who);
    await stopAll(...all);
  });

  it('stands again after a lost term, and counts the change of holder', async () => {
    const { clock, server, start, stopAll } = rig();
    const one = start('one');
    await clock.advance(1000);
    server.cutOff('one');
    await clock.advance(20_000);
    server.restore('one');
    await clock.advance(3000);
    expect(one.terms).toBe(2);
    expect(one.leadership).toBeDefined();
    expect(server.lease?.spec).toMatchObject({ holderIdentity: 'one', leaseTransitions: 0 });
    await stopAll(one);
  });

  it('gives up at once when it sees another holder', async () => {
    const { clock, server, start, stopAll } = rig();
    const one = start('one');
    await clock.advance(1000);
    const term = one.leadership;
    const found = server.lease;
    if (found === undefined) throw new Error('no Lease');
    const spec = { ...found.spec, holderIdentity: 'thief' };
    await server.clientOf('thief').replace(found, spec, new AbortController().signal);
    await clock.advance(2000);
    expect(term?.signal.aborted).toBe(true);
    expect(one.slowPaths).toBe(1);
    await stopAll(one);
    expect(server.lease?.spec?.holderIdentity).toBe('thief');
  });

  it('judges by its own clock when another holder last moved, not by what the Lease says', async () => {
    const { clock, server, start, stopAll } = rig();
    // A holder whose clock is an hour behind, and who renews all the same.
    const behind = new ManualClock(clock.nowMs() - 3_600_000);
    const one = start('one', { clockOf: behind });
    await behind.advance(0);
    const two = start('two');
    for (let n = 0; n < 30; n += 1) {
      await behind.advance(2000);
      await clock.advance(2000);
    }
    expect([one.terms, two.terms]).toEqual([1, 0]);
    server.cutOff('one');
    await clock.advance(14_000);
    expect(two.terms).toBe(0);
    await clock.advance(4000);
    expect(two.terms).toBe(1);
    one.stop.abort();
    await behind.advance(0);
    await stopAll(two);
  });

  it('renews until the work that was begun has ended, and only then gives the Lease back', async () => {
    const { clock, server } = rig();
    const stop = new AbortController();
    const work = Promise.withResolvers<void>();
    const observer = { changed: () => undefined, slowPath: () => undefined };
    const { log } = createRecordedLog();
    const options = { lease: server.clientOf('one'), identity: 'one', clock, random: () => 0, observer, log };
    const ended = standForElection(options, () => work.promise, stop.signal);
    await clock.advance(0);
    stop.abort();
    await clock.advance(8000);
    expect(server.lease?.spec).toMatchObject({ holderIdentity: 'one', renewTime: '2026-01-01T00:00:08.000000Z' });
    work.resolve();
    await clock.advance(0);
    await ended;
    expect(server.lease?.spec?.holderIdentity).toBe('');
    expect(clock.sleeperCount).toBe(0);
  });
});

describe('undisputedLeadership', () => {
  it('lasts until its signal aborts', () => {
    const stop = new AbortController();
    const leadership = undisputedLeadership(stop.signal);
    expect(leadership.remainingMs()).toBe(Infinity);
    stop.abort();
    expect(leadership.remainingMs()).toBe(0);
  });
});
