import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { controllerNames } from '@buildkeeper/local-cluster';
import { readAuditLog, sharedRealCluster, type AuditEvent } from '../real-api.ts';
import { createWorld, type World } from '../world.ts';

/** What a real API server alone can say no to, and a controller would only log: Leases, Events, status patches. */
export function refusalsSuite(): void {
  describe('what the controllers ask of a real API server', () => {
    let world: World;
    let auditLogFile: string;
    let seenBefore: number;
    beforeAll(async () => {
      ({ auditLogFile } = await sharedRealCluster());
      seenBefore = readAuditLog(auditLogFile).length;
      world = await createWorld({ backend: { kind: 'embedded', apiServer: 'real' } });
      await world.applySamples();
      await world.untilSettled(20_000);
    });
    afterAll(() => world.close());
    const answered = () => readAuditLog(auditLogFile).slice(seenBefore).filter(isOurs);

    it.each(controllerNames)('is answered: %s holds its Lease', async (name) => {
      const path = `/apis/coordination.k8s.io/v1/namespaces/default/leases/buildkeeper-${name}`;
      const { spec } = (await world.cluster.api.get(path)) as { spec: { holderIdentity?: string } };
      expect(spec.holderIdentity).toBeTruthy();
    });

    it('is answered: a failure and its end are told in Events of the object', async () => {
      await world.cluster.proxy.refuse();
      await world.api.requestReconcile('ClusterStack', 'sample-stack');
      await expect.poll(() => eventsOf(world, 'sample-stack'), { timeout: 10_000 }).toContain('Warning');
      await world.cluster.proxy.accept();
      await world.untilSettled(10_000);
      await expect.poll(() => eventsOf(world, 'sample-stack'), { timeout: 10_000 }).toContain('Normal');
    });

    it('is never refused, but for a Lease that is not there yet or that another process just took', () => {
      const refused = answered().filter(({ responseStatus }) => (responseStatus?.code ?? 0) >= 400);
      expect(answered().length).toBeGreaterThan(20);
      expect(refused.filter(({ objectRef }) => objectRef?.resource !== 'leases')).toEqual([]);
    });
  });
}

function isOurs({ userAgent = '' }: AuditEvent): boolean {
  return controllerNames.some((name) => userAgent.startsWith(`buildkeeper-${name}/`));
}

/** Types of the Events about an object. */
async function eventsOf(world: World, name: string): Promise<readonly string[]> {
  const list = await world.cluster.api.get('/apis/events.k8s.io/v1/events');
  const items = list['items'] as { type: string; regarding: { name: string } }[];
  return items.filter(({ regarding }) => regarding.name === name).map(({ type }) => type);
}
