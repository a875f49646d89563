import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sampleBuilder } from '@buildkeeper/local-cluster';
import { hasTool } from './testing/tools.ts';
import { createWorld, type World } from './world.ts';

/** The auth pace of a platform: far longer than the test, so that only a wake-up can explain a quick recovery. */
const slowAuth = ['--auth-retry-base', '1h', '--auth-retry-max', '1h'];
const secondMs = 1000;

describe.skipIf(!hasTool('docker-registry'))('credentials, in docker-registry with htpasswd', () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({ backend: { kind: 'docker-registry with htpasswd' }, flags: slowAuth });
  });
  afterAll(() => world.close());

  it('are waited for while the ServiceAccount is missing, and say what is missing', async () => {
    await world.applySamples();
    await world.untilSettled(20_000);
    const builder = sampleBuilder('early', world.registry);
    await world.api.apply({ ...builder, spec: { ...builder.spec, serviceAccountName: 'robot' } });
    await world.until(
      'the builder waits',
      (states) => states.some((one) => one.name === 'early' && one.ready === 'Unknown'),
      10_000,
    );
    const waiting = await world.state('Builder/early');
    expect(waiting).toMatchObject({
      readyReason: 'DependencyNotReady',
      message: 'ServiceAccount default/robot does not exist',
    });
  });

  it('that a ServiceAccount lists and nobody made are named when the registry refuses', async () => {
    await world.cluster.api.apply({
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'robot', namespace: 'default' },
      secrets: [{ name: 'robot-registry' }],
    });
    await world.until(
      'the registry refuses',
      (states) => states.some((one) => one.name === 'early' && one.ready === 'False'),
      5 * secondMs,
    );
    const refused = await world.state('Builder/early');
    expect(refused.readyReason).toBe('AuthenticationFailed');
    expect(refused.message).toContain('robot-registry');
  });

  it('are tried within a second of the Secret being made', async () => {
    const auths = { [world.registry]: world.cluster.user };
    await world.cluster.api.apply({
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'kubernetes.io/dockerconfigjson',
      metadata: { name: 'robot-registry', namespace: 'default' },
      data: { '.dockerconfigjson': Buffer.from(JSON.stringify({ auths })).toString('base64') },
    });
    // A second until the attempt, and what the attempt itself takes.
    await world.until('the builder is Ready', (states) => states.every((one) => one.ready === 'True'), 3 * secondMs);
  });

  it('never show in a log, a status, an event or a metric', async () => {
    const { password = '' } = world.cluster.user ?? {};
    const encoded = Buffer.from(`${world.cluster.user?.username ?? ''}:${password}`).toString('base64');
    const read = async (path: string) => JSON.stringify(await world.cluster.api.get(path));
    const seen = [
      ...[...world.controllers.values()].map((controller) => readFileSync(controller.logFile, 'utf8')),
      ...(await Promise.all([...world.controllers.values()].map((controller) => controller.metrics()))),
      ...(await Promise.all(
        ['builders', 'clusterbuilders', 'clusterstores', 'clusterstacks'].map((plural) =>
          read(`/apis/kpack.io/v1alpha2/${plural}`),
        ),
      )),
      await read('/apis/events.k8s.io/v1/events'),
    ];
    expect(seen.every((text) => text.length > 100)).toBe(true);
    expect(password).not.toBe('');
    for (const text of seen) {
      expect(text).not.toContain(password);
      expect(text).not.toContain(encoded);
    }
  });
});
