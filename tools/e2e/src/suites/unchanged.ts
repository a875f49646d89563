import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BackendOptions } from '../backend.ts';
import { createWorld, type World } from '../world.ts';

const kinds = [
  { kind: 'ClusterStack', name: 'sample-stack', sources: 2 },
  { kind: 'ClusterStore', name: 'sample-store', sources: undefined },
  { kind: 'Builder', name: 'sample-builder', sources: 1 },
  { kind: 'ClusterBuilder', name: 'sample-clusterbuilder', sources: 1 },
];

/** What an unchanged object costs, counted on the wire. */
export function unchangedSuite(backend: BackendOptions): void {
  describe('an object that did not change', () => {
    let world: World;
    beforeAll(async () => {
      world = await createWorld({ backend });
      await world.applySamples();
      await world.untilSettled(20_000);
      await quiet(world);
    });
    afterAll(() => world.close());

    it.each(kinds)(
      'costs a $kind one HEAD a source and no status write but the answer',
      async ({ kind, name, sources }) => {
        const namespace = kind === 'Builder' ? 'default' : undefined;
        const plural = `${kind.toLowerCase()}s`;
        world.cluster.proxy.resetCounts();
        await world.api.requestReconcile(kind, name, namespace);
        await handled(world, plural, name, namespace);
        await quiet(world);
        const { requests } = world.cluster.proxy;
        expect(requests.every((request) => request.method === 'HEAD')).toBe(true);
        expect(requests).toHaveLength(sources ?? world.cluster.samples.buildpackages.length);
      },
    );

    it('costs a builder one request after a restart, writes nothing, and wakes nobody', async () => {
      for (const name of ['builder', 'clusterbuilder'] as const) await world.controllers.get(name)?.stop();
      world.cluster.proxy.resetCounts();
      const writesBefore = world.cluster.api.statusWrites();
      expect(writesBefore).toBeGreaterThan(0);
      for (const name of ['builder', 'clusterbuilder'] as const) await world.start(name);
      await delay(1500);
      await quiet(world);
      // The first 401 of an origin, which names the challenge, is counted apart.
      const tags = world.cluster.proxy.requests.filter(
        (request) => request.path.includes('/builders/') && request.status !== 401,
      );
      expect(tags.map((request) => request.method)).toEqual(['HEAD', 'HEAD']);
      expect(world.cluster.api.statusWrites()).toBe(writesBefore);
    });

    it('is not woken by its own status write nor by the retries of what it depends on', async () => {
      world.cluster.proxy.fault({ action: { kind: 'status', status: 503 }, path: /\/samples\// });
      await world.api.requestReconcile('ClusterStack', 'sample-stack');
      await world.until(
        'the stack has tried three times',
        (states) => states.some((state) => state.kind === 'ClusterStack' && state.attempts >= 3),
        20_000,
      );
      const builderRequests = world.cluster.proxy.requests.filter((request) => request.path.includes('/builders/'));
      const reconciles = await world.metric('builder', 'controller_runtime_reconcile_total');
      await world.until(
        'the stack has tried five times',
        (states) => states.some((state) => state.kind === 'ClusterStack' && state.attempts >= 5),
        20_000,
      );
      expect(await world.metric('builder', 'controller_runtime_reconcile_total')).toBe(reconciles);
      expect(world.cluster.proxy.requests.filter((request) => request.path.includes('/builders/'))).toEqual(
        builderRequests,
      );
      world.cluster.proxy.clear();
      await world.untilSettled(10_000);
    });
  });
}

/** Waits until the object says that it has handled the latest request to look at it. */
async function handled(world: World, plural: string, name: string, namespace: string | undefined): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const object = await world.object(plural, name, namespace);
    const metadata = object['metadata'] as { annotations?: Record<string, string> };
    const status = object['status'] as { lastHandledReconcileAt?: string };
    const asked = metadata.annotations?.['buildkeeper.io/reconcile-requested-at'];
    if (asked !== undefined && asked === status.lastHandledReconcileAt) return;
    await delay(50);
  }
  throw new Error(`${plural}/${name} did not handle the request to reconcile`);
}

/** Waits until the registry has seen no request for half a second. */
async function quiet({ cluster }: World): Promise<void> {
  for (let seen = -1; seen !== cluster.proxy.requests.length;) {
    seen = cluster.proxy.requests.length;
    await delay(500);
  }
}
