import type { FaultAction } from '@buildkeeper/embedded-cluster';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { anonymousKeychain } from './credential.ts';
import { parseReference } from './reference.ts';
import { startFaultyRegistry, type FaultyRegistry } from './testing/faulty-registry.ts';
import { testImage } from './testing/images.ts';
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

const { configDigest } = testImage('run');
const html = { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>sign in</html>' };
const unauthorized = { status: 401, headers: { 'www-authenticate': 'Basic realm="r"' } };
const manifestPath = /\/manifests\//;
const blobPath = /\/blobs\//;

interface Case {
  readonly fault: string;
  readonly path: RegExp;
  readonly action: FaultAction;
  readonly expected: object;
  /** Exchanges on the wire; 3 when it is tried again. */
  readonly attempts: number;
  /** Which of them break rather than being answered. */
  readonly broken: number;
  readonly says: string;
}

const cases: readonly Case[] = [
  {
    fault: 'a reset before the head',
    path: manifestPath,
    action: { kind: 'reset' },
    expected: { class: 'transient', scope: 'host', evidence: 'dead', reason: 'RegistryUnavailable' },
    attempts: 3,
    broken: 3,
    says: 'connection reset (ECONNRESET)',
  },
  {
    fault: 'a body that is cut',
    path: manifestPath,
    action: { kind: 'cutBody', afterBytes: 20 },
    expected: { class: 'transient', scope: 'host', evidence: 'none', reason: 'RegistryUnavailable' },
    attempts: 3,
    broken: 3,
    says: 'connection reset (ECONNRESET)',
  },
  {
    fault: 'a config that is cut',
    path: blobPath,
    action: { kind: 'cutBody', afterBytes: 20 },
    expected: { class: 'transient', scope: 'host', evidence: 'none', reason: 'RegistryUnavailable' },
    attempts: 3,
    broken: 3,
    says: 'connection reset (ECONNRESET)',
  },
  {
    fault: 'other bytes',
    path: manifestPath,
    action: { kind: 'wrongBytes' },
    expected: { class: 'transient', scope: 'repository', evidence: 'overload', reason: 'UnexpectedContent' },
    attempts: 3,
    broken: 0,
    says: 'the manifest has another digest than it should',
  },
  {
    fault: 'other bytes of a config',
    path: blobPath,
    action: { kind: 'wrongBytes' },
    expected: { class: 'transient', scope: 'repository', evidence: 'overload', reason: 'UnexpectedContent' },
    attempts: 3,
    broken: 0,
    says: 'the content has another digest than it should',
  },
  {
    fault: 'another digest in the header',
    path: manifestPath,
    action: { kind: 'headers', set: { 'docker-content-digest': configDigest } },
    expected: { class: 'transient', reason: 'UnexpectedContent' },
    attempts: 3,
    broken: 0,
    says: 'another digest',
  },
  {
    fault: 'a web page',
    path: manifestPath,
    action: { kind: 'status', ...html },
    expected: { class: 'transient', reason: 'UnexpectedContent', evidence: 'overload' },
    attempts: 3,
    broken: 0,
    says: 'answered with a web page instead of a manifest',
  },
  {
    fault: 'a web page for a config',
    path: blobPath,
    action: { kind: 'status', ...html },
    expected: { class: 'transient', reason: 'UnexpectedContent' },
    attempts: 3,
    broken: 0,
    says: 'another digest',
  },
  {
    fault: '401 without a challenge',
    path: manifestPath,
    action: { kind: 'status', status: 401 },
    expected: { class: 'auth', reason: 'AuthenticationFailed', evidence: 'alive', scope: 'object' },
    attempts: 1,
    broken: 0,
    says: 'answered 401; no credentials were found for this repository',
  },
  {
    fault: '401 with a challenge',
    path: manifestPath,
    action: { kind: 'status', ...unauthorized },
    expected: { class: 'auth', reason: 'AuthenticationFailed' },
    attempts: 1,
    broken: 0,
    says: 'answered 401; no credentials',
  },
  {
    fault: '403',
    path: manifestPath,
    action: { kind: 'status', status: 403, body: '{"errors":[{"code":"DENIED","message":"read only mode"}]}' },
    expected: { class: 'auth', reason: 'AuthorizationDenied', registryCode: 'DENIED' },
    attempts: 1,
    broken: 0,
    says: 'answered 403 (DENIED: read only mode)',
  },
  {
    fault: '404',
    path: manifestPath,
    action: { kind: 'status', status: 404 },
    expected: { class: 'notFound', reason: 'ImageNotFound' },
    attempts: 1,
    broken: 0,
    says: 'answered 404',
  },
  {
    fault: '404 of a config',
    path: blobPath,
    action: { kind: 'status', status: 404 },
    expected: { class: 'notFound', reason: 'ImageNotFound' },
    attempts: 1,
    broken: 0,
    says: 'answered 404',
  },
  {
    fault: '500',
    path: manifestPath,
    action: { kind: 'status', status: 500 },
    expected: {
      class: 'transient',
      scope: 'repository',
      evidence: 'overload',
      reason: 'RegistryError',
      httpStatus: 500,
    },
    attempts: 3,
    broken: 0,
    says: 'answered 500',
  },
  {
    fault: '503 with a web page',
    path: manifestPath,
    action: {
      kind: 'status',
      status: 503,
      headers: { 'content-type': 'text/html' },
      body: `<html>${'x'.repeat(20_000)}</html>`,
    },
    expected: { class: 'transient', reason: 'RegistryError' },
    attempts: 3,
    broken: 0,
    says: 'answered 503',
  },
  {
    fault: '503 of a config',
    path: blobPath,
    action: { kind: 'status', status: 503 },
    expected: { class: 'transient', reason: 'RegistryError' },
    attempts: 3,
    broken: 0,
    says: 'answered 503',
  },
  {
    fault: '503 with Retry-After',
    path: manifestPath,
    action: { kind: 'status', status: 503, headers: { 'retry-after': '30' } },
    expected: {
      class: 'throttled',
      scope: 'host',
      evidence: 'overload',
      reason: 'RegistryThrottled',
      retryAfterMs: 30_000,
    },
    attempts: 1,
    broken: 0,
    says: 'answered 503',
  },
  {
    fault: '429 in seconds',
    path: manifestPath,
    action: { kind: 'status', status: 429, headers: { 'retry-after': '120' } },
    expected: {
      class: 'throttled',
      scope: 'host',
      evidence: 'alive',
      reason: 'RegistryThrottled',
      retryAfterMs: 120_000,
    },
    attempts: 1,
    broken: 0,
    says: 'answered 429',
  },
  {
    fault: '429 with a date',
    path: manifestPath,
    action: {
      kind: 'status',
      status: 429,
      headers: { 'retry-after': 'Thu, 01 Jan 2026 00:01:00 GMT', date: 'Thu, 01 Jan 2026 00:00:00 GMT' },
    },
    expected: { class: 'throttled', retryAfterMs: 60_000 },
    attempts: 1,
    broken: 0,
    says: 'answered 429',
  },
  {
    fault: '429 with a day',
    path: manifestPath,
    action: { kind: 'status', status: 429, headers: { 'retry-after': '86400' } },
    expected: { class: 'throttled', retryAfterMs: 3_600_000 },
    attempts: 1,
    broken: 0,
    says: 'answered 429',
  },
  {
    fault: '429 with garbage',
    path: manifestPath,
    action: { kind: 'status', status: 429, headers: { 'retry-after': '880.092µs' } },
    expected: { class: 'throttled', inRequestRetry: 'safe' },
    attempts: 1,
    broken: 0,
    says: 'answered 429',
  },
  {
    fault: '204',
    path: manifestPath,
    action: { kind: 'status', status: 204 },
    expected: { class: 'transient', reason: 'UnexpectedContent' },
    attempts: 3,
    broken: 0,
    says: 'answered 204',
  },
];

describe('a registry that fails a read with', () => {
  it.each(cases)('$fault', async ({ path, action, expected, attempts, broken, says }) => {
    faulty.proxy.fault({ path, action });
    const failure = await failureFrom(readImage());
    expect(failure).toMatchObject({ ...expected, origin: faulty.proxy.url, repository: 'team/run' });
    expect(failure.message).toMatch(/^Cannot read (manifest|blob) 127\.0\.0\.1:\d+\/team\/run/);
    expect(failure.message).toContain(says);
    expect(faulty.proxy.requests.filter((seen) => path.test(seen.path))).toHaveLength(attempts);
    expect(testClient.exchanges).toHaveLength(faulty.proxy.requests.length);
    expect(testClient.brokenCount()).toBe(broken);
    expect(testClient.retries).toHaveLength(attempts - 1);
  });

  it('anything, and then mends within the call, is read', async () => {
    faulty.proxy.fault({ path: manifestPath, times: 1, action: { kind: 'reset' } });
    faulty.proxy.fault({ path: manifestPath, times: 1, action: { kind: 'cutBody', afterBytes: 5 } });
    faulty.proxy.fault({ path: blobPath, times: 2, action: { kind: 'status', status: 502 } });
    await expect(readImage()).resolves.toMatchObject({ digest: faulty.image.digest });
    expect(testClient.retries).toEqual([
      'RegistryUnavailable',
      'RegistryUnavailable',
      'RegistryError',
      'RegistryError',
    ]);
  });

  it('the same fault twice, has the same message twice', async () => {
    faulty.proxy.fault({ action: { kind: 'reset' } });
    const first = await failureFrom(readImage());
    const second = await failureFrom(readImage());
    expect(second.message).toBe(first.message);
  });
});

describe('a registry that is not there', () => {
  it('refuses', async () => {
    await faulty.proxy.refuse();
    const failure = await failureFrom(readImage());
    await faulty.proxy.accept();
    expect(failure).toMatchObject({
      class: 'transient',
      scope: 'host',
      evidence: 'dead',
      reason: 'RegistryUnavailable',
    });
    expect(failure.message).toBe(
      `Cannot read manifest ${faulty.proxy.host}/team/run:1: connection refused (ECONNREFUSED)`,
    );
    expect(testClient.exchanges).toEqual(Array(3).fill('manifest <error>'));
  });

  it('has a name that does not resolve', async () => {
    const nowhere = parseReference('registry.invalid/team/run:1');
    const failure = await failureFrom(testClient.client.headManifest(nowhere, anonymousKeychain, never()));
    expect(failure).toMatchObject({
      class: 'transient',
      scope: 'host',
      evidence: 'dead',
      reason: 'RegistryUnavailable',
    });
    expect(failure.message).toMatch(
      /^Cannot read manifest registry\.invalid\/team\/run:1: .* \((ENOTFOUND|EAI_AGAIN)\)$/,
    );
  });
});
