import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sampleBuilder, sampleClusterBuilder, type ObjectState } from '@buildkeeper/local-cluster';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BackendOptions } from '../backend.ts';
import { createWorld, type World } from '../world.ts';

/** Twice the longest pace of the tests, and the time that the work itself takes on a small machine. */
const recoveryBoundMs = 2 * 2000 + 2000;
const registryName = 'registry.test';

interface Fault {
  readonly name: string;
  readonly reason: string;
  readonly start: (world: World) => Promise<void> | void;
  readonly end: (world: World) => Promise<void> | void;
  /** Whether reading can meet this fault; one that only pushing meets hits the builders alone. */
  readonly hitsReading: boolean;
}

const clear = (world: World) => {
  world.cluster.proxy.clear();
};
const dnsFaultFile = (world: World) => join(world.folder, 'dns-fault');

/** The rows of kpack's recovery table. kpack came back by itself from two of them, once by accident. */
const faults: readonly Fault[] = [
  {
    name: 'connection refused',
    reason: 'RegistryUnavailable',
    start: (world) => world.cluster.proxy.refuse(),
    end: (world) => world.cluster.proxy.accept(),
    hitsReading: true,
  },
  {
    name: 'name not found',
    reason: 'RegistryUnavailable',
    start(world) {
      writeFileSync(dnsFaultFile(world), '');
      // A pooled socket needs no resolver: it is cut, so that the next request dials.
      world.cluster.proxy.cutConnections();
    },
    end(world) {
      rmSync(dnsFaultFile(world));
    },
    hitsReading: true,
  },
  {
    name: '403 on manifest PUT',
    reason: 'AuthorizationDenied',
    start(world) {
      world.cluster.proxy.fault({ method: 'PUT', path: /\/manifests\//, action: { kind: 'status', status: 403 } });
    },
    end: clear,
    hitsReading: false,
  },
  {
    name: '503 on every request',
    reason: 'RegistryError',
    start(world) {
      world.cluster.proxy.fault({ action: { kind: 'status', status: 503 } });
    },
    end: clear,
    hitsReading: true,
  },
  {
    name: 'reset of every connection',
    reason: 'RegistryUnavailable',
    start(world) {
      world.cluster.proxy.fault({ action: { kind: 'reset' } });
    },
    end: clear,
    hitsReading: true,
  },
  {
    name: 'accepts, then silent',
    reason: 'RegistryTimeout',
    start(world) {
      world.cluster.proxy.fault({ action: { kind: 'hang' } });
    },
    end: clear,
    hitsReading: true,
  },
];

/** Every row of the recovery table, on every kind that it can hit, against one registry. */
export function recoverySuite(backend: BackendOptions): void {
  describe.each(faults)('recovery from: $name', (fault) => {
    recoveryRow(fault, backend);
  });
}

function recoveryRow(fault: Fault, backend: BackendOptions): void {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({ registryName, backend });
  });
  afterAll(() => world.close());

  if (fault.hitsReading) {
    it('brings every kind back that was created during the fault', async () => {
      await fault.start(world);
      await world.applySamples();
      await world.until(
        'the store and the stack say why, the builders wait',
        (states) =>
          states.length === 4 &&
          states.every((one) => (one.kind.endsWith('Builder') ? one.ready === 'Unknown' : one.attempts >= 3)),
        30_000,
      );
      for (const state of (await world.api.look()).filter((one) => !one.kind.endsWith('Builder'))) {
        expect(state).toMatchObject({ ready: 'False', readyReason: fault.reason, upToDate: 'False' });
        expect(state.message).toContain(world.registry);
      }
      for (const state of (await world.api.look()).filter((one) => one.kind.endsWith('Builder'))) {
        expect(state).toMatchObject({ ready: 'Unknown', readyReason: 'DependencyNotReady' });
        expect(state.message).toMatch(/Cluster(Stack|Store) sample-/);
        expect(state.message).toContain(fault.reason);
      }
      await fault.end(world);
      await world.untilSettled(recoveryBoundMs);
    });
  }

  it('brings back the builders that were created during the fault, and leaves what was Ready alone', async () => {
    await world.applySamples();
    await world.untilSettled(20_000);
    await fault.start(world);
    await world.api.apply(sampleBuilder('late', world.registry));
    await world.api.apply(sampleClusterBuilder('late-cluster', world.registry));
    await world.api.requestReconcile('ClusterStore', 'sample-store');
    await world.api.requestReconcile('ClusterStack', 'sample-stack');
    const isLate = (one: ObjectState) => one.name.startsWith('late');
    await world.until(
      'the new builders fail, again and again',
      (states) => states.filter(isLate).every((one) => one.ready === 'False' && one.attempts >= 3),
      30_000,
    );
    for (const state of await world.api.look()) {
      if (isLate(state)) expect(state).toMatchObject({ ready: 'False', readyReason: fault.reason });
      else expect(state.ready).toBe('True');
    }
    const late = await world.state('Builder/late');
    expect(late.host).toBe(world.registry);
    expect(Date.parse(late.nextAttemptTime)).toBeGreaterThan(0);
    await fault.end(world);
    await world.untilSettled(recoveryBoundMs);
  });

  it('counts every retry once, with its back-off', async () => {
    for (const name of world.controllers.keys()) {
      for (const layer of ['request', 'reconcile']) {
        const retries = await world.metric(name, 'buildkeeper_retries_total', { controller: name, layer });
        const backoffs = await world.metric(name, 'buildkeeper_backoff_duration_seconds_count', {
          controller: name,
          layer,
        });
        expect(retries, `${name} ${layer}`).toBe(backoffs);
      }
    }
  });
}
