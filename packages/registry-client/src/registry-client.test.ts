import { getEventListeners } from 'node:events';
import { startFaultProxy, startOciRegistry, type OciRegistry } from '@buildkeeper/embedded-cluster';
import { createSystemClock, createSystemRandom } from '@buildkeeper/retry-policy';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { anonymousKeychain, createRegistryClient, parseReference, RegistryError } from './index.ts';
import { testImage } from './testing/images.ts';
import { createTestClient } from './testing/test-client.ts';

const image = testImage('app');
let registry: OciRegistry;

beforeEach(async () => {
  registry = await startOciRegistry();
  for (const blob of [image.config, image.layer]) registry.putBlob('team/app', blob);
  registry.putManifest('team/app', '1', { bytes: image.manifest, mediaType: image.mediaType });
});
afterEach(() => registry.close());

describe('the registry client', () => {
  it('works as its README shows', async () => {
    const { signal } = new AbortController();
    const seen: string[] = [];

    const client = createRegistryClient({
      clock: createSystemClock(),
      random: createSystemRandom(),
      plainHttpHosts: [registry.host],
    });
    try {
      const reference = parseReference(`${registry.host}/team/app:1`);
      const { digest, config } = await client.readImage(reference, anonymousKeychain, { signal });
      seen.push(`${digest} has labels ${JSON.stringify(config.config?.Labels)}`);
      await client.headManifest(parseReference(`${registry.host}/team/nothing:1`), anonymousKeychain, signal);
    } catch (error) {
      if (!(error instanceof RegistryError)) throw error;
      seen.push(`${error.failure.class}, ${error.failure.reason}: ${error.message}`);
    } finally {
      await client.close();
    }

    expect(seen).toEqual([
      `${image.digest} has labels {"name":"app"}`,
      `notFound, ImageNotFound: Cannot read manifest ${registry.host}/team/nothing:1: ` +
        'answered 404 (MANIFEST_UNKNOWN: manifest unknown)',
    ]);
  });

  it('leaves nothing behind on a signal that lives long', async () => {
    const testClient = createTestClient({ totalTimeoutMs: 5000 });
    const { signal } = new AbortController();
    const reference = parseReference(`${registry.host}/team/app:1`);
    for (let turn = 0; turn < 20; turn += 1) {
      await testClient.client.readImage(reference, anonymousKeychain, { signal });
    }
    await testClient.client.close();
    expect(getEventListeners(signal, 'abort').length).toBeLessThanOrEqual(1);
  });

  it('obeys the settings of a single host', async () => {
    const silent = await startFaultProxy({ targetPort: registry.port });
    silent.fault({ action: { kind: 'hang' } });
    const testClient = createTestClient({
      plainHttpHosts: [silent.host],
      hostOverrides: { [silent.host]: { totalTimeoutMs: 50 } },
      requestAttempts: 1,
    });
    const reference = parseReference(`${silent.host}/team/app:1`);
    const call = testClient.client.headManifest(reference, anonymousKeychain, new AbortController().signal);
    await expect(call).rejects.toThrow(/took too long$/);
    await testClient.client.close();
    await silent.close();
  });

  it('obeys the attempts of a single host', async () => {
    let retries = 0;
    const testClient = createTestClient({
      plainHttpHosts: ['127.0.0.1'],
      hostOverrides: { '127.0.0.1': { requestAttempts: 1 } },
      requestAttempts: 3,
      observer: { requestFinished: () => undefined, retryScheduled: () => (retries += 1) },
    });
    // Nothing listens on port 1.
    const reference = parseReference('127.0.0.1:1/team/app:1');
    const call = testClient.client.headManifest(reference, anonymousKeychain, new AbortController().signal);
    await expect(call).rejects.toThrow(/ECONNREFUSED/);
    expect(retries).toBe(0);
    await testClient.client.close();
  });
});
