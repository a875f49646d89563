import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BackendOptions } from '../backend.ts';
import { createWorld, type World } from '../world.ts';

const builders = ['Builder/sample-builder', 'ClusterBuilder/sample-clusterbuilder'];

/** A store or a stack that was good stays so when one re-read fails. */
export function keepsLastGoodSuite(backend: BackendOptions): void {
  // kpack's last row of the recovery table: one 503 on one config blob emptied a good store, and its builder never recovered.
  describe.each([
    { kind: 'ClusterStore', name: 'sample-store', controller: 'clusterstore' as const },
    { kind: 'ClusterStack', name: 'sample-stack', controller: 'clusterstack' as const },
  ])('one failed re-read of a $kind', ({ kind, name, controller }) => {
    let world: World;
    beforeAll(async () => {
      world = await createWorld({ backend });
      await world.applySamples();
      await world.untilSettled(20_000);
    });
    afterAll(() => world.close());

    it('leaves its resolved status and every dependent builder as they were, and recovers by itself', async () => {
      const title = `${kind}/${name}`;
      const plural = `${kind.toLowerCase()}s`;
      const before = await world.object(plural, name);
      const buildersBefore = await Promise.all(builders.map((builder) => world.state(builder)));
      // The config blobs are read again only by a process that has not cached them.
      await world.controllers.get(controller)?.stop();
      const failing = world.cluster.proxy.fault({
        method: 'GET',
        path: /\/blobs\//,
        action: { kind: 'status', status: 503 },
      });
      await world.start(controller);
      await world.api.requestReconcile(kind, name);
      await world.until(
        `${title} says that it could not be read again`,
        (states) => states.some((state) => state.title === title && state.upToDate === 'False'),
        20_000,
      );
      expect(failing.hits).toBeGreaterThan(0);
      const during = await world.object(plural, name);
      expect(await world.state(title)).toMatchObject({ ready: 'True', upToDate: 'False', reason: 'RegistryError' });
      expect(resolvedOf(during)).toEqual(resolvedOf(before));
      expect(await Promise.all(builders.map((builder) => world.state(builder)))).toEqual(buildersBefore);
      world.cluster.proxy.clear();
      await world.untilSettled(10_000);
    });
  });
}

/** The status without what tells of the attempt. */
function resolvedOf(object: Readonly<Record<string, unknown>>): unknown {
  const told = ['conditions', 'retry', 'observedGeneration', 'lastHandledReconcileAt'];
  const status = object['status'] as Readonly<Record<string, unknown>>;
  return Object.fromEntries(Object.entries(status).filter(([field]) => !told.includes(field)));
}
