import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { controllerNames, sampleBuilder, sampleClusterBuilder } from '@buildkeeper/local-cluster';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasTool } from './testing/tools.ts';
import { createWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  // One after the other: together they share the cores, and the time of a start would measure the machine.
  world = await createWorld({ controllers: [] });
  for (const name of controllerNames) await world.start(name);
});
afterAll(() => world.close());

describe('the four controllers', () => {
  it.each(controllerNames)('%s runs as a process of its own and answers /healthz within a second', async (name) => {
    let controller = world.controllers.get(name)!;
    expect(controller.isRunning()).toBe(true);
    // The best of three starts: what else the machine does is not to be measured.
    for (let again = 0; again < 2 && controller.healthyAfterMs >= 1000; again += 1) {
      await controller.stop();
      controller = await world.start(name);
    }
    expect(controller.healthyAfterMs).toBeLessThan(1000);
    const pids = new Set([...world.controllers.values()].map((one) => one.pid));
    expect(pids.size).toBe(controllerNames.length);
  });

  it.each(controllerNames)('%s holds a Lease of its own', async (name) => {
    const holder = async () => {
      const path = `/apis/coordination.k8s.io/v1/namespaces/default/leases/buildkeeper-${name}`;
      // Before it is held it is not there.
      const lease = (await world.cluster.api.get(path).catch(() => ({}))) as { spec?: { holderIdentity?: string } };
      return lease.spec?.holderIdentity ?? '';
    };
    await expect.poll(holder, { timeout: 5000 }).not.toBe('');
  });

  it.each(controllerNames)('%s is ready, and idles under 100 MB', async (name) => {
    const controller = world.controllers.get(name)!;
    await expect.poll(async () => (await fetch(`${controller.address}/readyz`)).status, { timeout: 5000 }).toBe(200);
    await delay(1000);
    const status = readFileSync(`/proc/${controller.pid}/status`, 'utf8');
    const residentMb = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
    expect(residentMb).toBeGreaterThan(0);
    expect(residentMb).toBeLessThan(100);
  });

  it.skipIf(!hasTool('promtool'))('serve metrics that promtool finds no fault with', async () => {
    for (const controller of world.controllers.values()) {
      const input = await controller.metrics();
      const said = execFileSync('promtool', ['check', 'metrics'], { input, encoding: 'utf8', stdio: 'pipe' });
      expect(said).toBe('');
    }
  });

  it('shows retries by reason and a filled back-off histogram while the registry is down', async () => {
    await world.applySamples();
    await world.untilSettled(20_000);
    await world.cluster.proxy.refuse();
    await world.api.requestReconcile('ClusterStore', 'sample-store');
    await world.api.requestReconcile('ClusterStack', 'sample-stack');
    await world.api.apply(sampleBuilder('late', world.registry));
    await world.api.apply(sampleClusterBuilder('late', world.registry));
    await world.until(
      'store, stack and the new builders have tried three times',
      (states) => states.filter((state) => state.attempts >= 3).length === 4,
      20_000,
    );
    for (const name of controllerNames) {
      const labels = { controller: name, layer: 'reconcile' };
      const reason = 'RegistryUnavailable';
      expect(await world.metric(name, 'buildkeeper_retries_total', { ...labels, reason })).toBeGreaterThanOrEqual(3);
      expect(await world.metric(name, 'buildkeeper_backoff_duration_seconds_sum', labels)).toBeGreaterThan(0);
      expect(await world.metric(name, 'buildkeeper_resources_in_backoff', { class: 'transient' })).toBe(1);
    }
    await world.cluster.proxy.accept();
    await world.untilSettled(10_000);
  });

  it.each(controllerNames)(
    '%s ends within 10 s of SIGTERM, with a registry that hangs, and gives its Lease back',
    async (name) => {
      world.cluster.proxy.fault({ action: { kind: 'hang' } });
      const kind = {
        clusterstore: 'ClusterStore',
        clusterstack: 'ClusterStack',
        builder: 'Builder',
        clusterbuilder: 'ClusterBuilder',
      }[name];
      const object = (await world.api.look()).find((state) => state.kind === kind)!;
      await world.api.requestReconcile(kind, object.name, kind === 'Builder' ? 'default' : undefined);
      await delay(300);
      const startMs = performance.now();
      expect(await world.controllers.get(name)!.stop('SIGTERM')).toBe(0);
      expect(performance.now() - startMs).toBeLessThan(10_000);
      world.cluster.proxy.clear();
      const startAgainMs = performance.now();
      await world.start(name);
      await world.untilSettled(10_000);
      // A Lease that was not given back would be waited for: 15 s.
      expect(performance.now() - startAgainMs).toBeLessThan(10_000);
    },
  );
});
