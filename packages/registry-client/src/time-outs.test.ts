import { startFaultProxy, type FaultAction } from '@buildkeeper/embedded-cluster';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { anonymousKeychain } from './credential.ts';
import { parseReference } from './reference.ts';
import { startFaultyRegistry, type FaultyRegistry } from './testing/faulty-registry.ts';
import { createTestClient, failureFrom, never, type TestClient } from './testing/test-client.ts';

let faulty: FaultyRegistry;
let testClient: TestClient;

beforeAll(async () => {
  faulty = await startFaultyRegistry();
});
afterAll(() => faulty.close());
beforeEach(() => {
  testClient = createTestClient();
});
afterEach(async () => {
  await testClient.client.close();
  faulty.reset();
});

const readImage = (signal = never()) => testClient.client.readImage(faulty.reference, anonymousKeychain, { signal });

const manifestPath = /\/manifests\//;
const blobPath = /\/blobs\//;

describe('a registry that says nothing', () => {
  const noAnswer = 'no answer in time (UND_ERR_HEADERS_TIMEOUT)';
  const halfAnswer = 'answer stopped in the middle (UND_ERR_BODY_TIMEOUT)';
  const half: FaultAction = { kind: 'stallBody', afterBytes: 10 };
  const silences: readonly (readonly [RegExp, FaultAction, string])[] = [
    [manifestPath, { kind: 'hang' }, noAnswer],
    [manifestPath, half, halfAnswer],
    [blobPath, half, halfAnswer],
  ];

  // At once, because a time-out of undici takes a second at least.
  it('before the head, in a manifest or in a config, is left after its time-out', async () => {
    await Promise.all(silences.map(([path, action, says]) => expectTimeout(path, action, says)));
  });

  async function expectTimeout(path: RegExp, action: FaultAction, says: string): Promise<void> {
    const proxy = await startFaultProxy({ targetPort: faulty.registry.port });
    const own = createTestClient({ requestAttempts: 1 });
    proxy.fault({ path, action });
    const reference = parseReference(`${proxy.host}/team/run:1`);
    const failure = await failureFrom(own.client.readImage(reference, anonymousKeychain, { signal: never() }));
    await own.client.close();
    await proxy.close();
    expect(failure).toMatchObject({
      class: 'transient',
      scope: 'host',
      evidence: 'overload',
      reason: 'RegistryTimeout',
    });
    expect(failure.message).toContain(says);
    expect(own.brokenCount()).toBe(1);
  }

  it('but drips, beyond the total time-out', async () => {
    await testClient.client.close();
    testClient = createTestClient({ requestAttempts: 1, totalTimeoutMs: 100 });
    faulty.proxy.fault({ path: manifestPath, action: { kind: 'slow', bytesPerSecond: 50 } });
    const failure = await failureFrom(readImage());
    expect(failure).toMatchObject({ class: 'transient', evidence: 'overload', reason: 'RegistryTimeout' });
    expect(failure.message).toMatch(/run:1: took too long$/);
    expect(testClient.exchanges).toEqual(['manifest <error>']);
  });
});

describe('a caller that stops', () => {
  it.each<[string, FaultAction]>([
    ['before the head', { kind: 'hang' }],
    ['in the body', { kind: 'stallBody', afterBytes: 10 }],
    ['while waiting for the next attempt', { kind: 'status', status: 503 }],
  ])('%s leaves at once', async (_, action) => {
    await testClient.client.close();
    const hour = 3_600_000;
    testClient = createTestClient({
      headersTimeoutMs: hour,
      bodyTimeoutMs: hour,
      requestPace: { baseDelayMs: 5000, factor: 1, maxDelayMs: 5000 },
    });
    faulty.proxy.fault({ path: manifestPath, action });
    const stop = new AbortController();
    const failing = failureFrom(readImage(stop.signal));
    await expect.poll(() => faulty.proxy.requests.length).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 30));
    const startedMs = performance.now();
    stop.abort(new Error('shutdown'));
    expect(await failing).toMatchObject({ class: 'aborted', scope: 'local', evidence: 'none' });
    expect(performance.now() - startedMs).toBeLessThan(200);
  });

  it('before it began asks nobody', async () => {
    expect(await failureFrom(readImage(AbortSignal.abort()))).toMatchObject({ class: 'aborted' });
    expect(testClient.exchanges).toEqual([]);
  });
});

describe('a client that is closed', () => {
  it('ends what is under way', async () => {
    faulty.proxy.fault({ action: { kind: 'hang' } });
    const failing = failureFrom(readImage());
    await expect.poll(() => faulty.proxy.requests.length).toBe(1);
    await testClient.client.close();
    expect(await failing).toMatchObject({ class: 'aborted' });
  });
});
