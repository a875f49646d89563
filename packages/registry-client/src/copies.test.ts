import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startFaultProxy, startOciRegistry, type FaultProxy, type OciRegistry } from '@buildkeeper/embedded-cluster';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { anonymousKeychain, type Keychain } from './credential.ts';
import { digestOf } from './digest.ts';
import type { Repository } from './reference.ts';
import { createTestClient, failureFrom, never, type TestClient } from './testing/test-client.ts';

const layer = randomBytes(1_000_000);
const digest = digestOf(layer);

/** A registry behind a proxy. */
interface Side {
  readonly registry: OciRegistry;
  readonly proxy: FaultProxy;
}

let home: Side;
let abroad: Side;
let testClient: TestClient;

const start = async (options: Parameters<typeof startOciRegistry>[0] = {}): Promise<Side> => {
  const registry = await startOciRegistry(options);
  return { registry, proxy: await startFaultProxy({ targetPort: registry.port }) };
};
const stop = async ({ registry, proxy }: Side) => {
  await proxy.close();
  await registry.close();
};

beforeEach(async () => {
  [home, abroad] = [await start(), await start()];
  testClient = createTestClient();
});
afterEach(async () => {
  await testClient.client.close();
  await Promise.all([stop(home), stop(abroad)]);
});

const repository = (side: Side, name: string) => ({ registry: side.proxy.host, repository: name });
const copyFrom = (source: Repository, keychain: Keychain = anonymousKeychain, signal = never()) => {
  const target = { repository: repository(home, 'builders/one'), digest, sizeBytes: layer.length };
  return testClient.client.ensureBlob(target, { kind: 'blob', repository: source, keychain }, keychain, signal);
};
const lines = (side: Side) =>
  side.proxy.requests.map(({ method, query }) => `${method}${query.startsWith('?mount') ? ' mount' : ''}`);

describe('ensureBlob, of a blob of the same registry', () => {
  it('mounts it with one POST', async () => {
    home.registry.putBlob('packages/java', layer);
    expect(await copyFrom(repository(home, 'packages/java'))).toBe('mounted');
    expect(lines(home)).toEqual(['POST mount']);
    expect(home.registry.uploads).toEqual([]);
  });

  it('asks for both repositories in one token', async () => {
    await stop(home);
    home = await start({ auth: { kind: 'token', users: { user: 'pass' } } });
    home.registry.putBlob('packages/java', layer);
    const keychain: Keychain = { credentialFor: () => ({ username: 'user', password: 'pass' }) };
    expect(await copyFrom(repository(home, 'packages/java'), keychain)).toBe('mounted');
    const [token] = home.proxy.requests.filter(({ path }) => path === '/token');
    expect(new URLSearchParams(token!.query).getAll('scope')).toEqual([
      'repository:builders/one:pull,push',
      'repository:packages/java:pull',
    ]);
  });

  it('uses the session that the registry opens where it does not mount, with one POST', async () => {
    home.registry.putBlob('packages/java', layer);
    home.proxy.fault({
      path: /mount=/,
      times: 1,
      action: { kind: 'redirect', location: '/v2/builders/one/blobs/uploads/', status: 307 },
    });
    expect(await copyFrom(repository(home, 'packages/java'))).toBe('uploaded');
    expect(lines(home)).toEqual(['POST mount', 'POST', 'HEAD', 'GET', 'PUT']);
    expect(home.registry.uploads).toHaveLength(1);
  });

  it.each([400, 401, 403, 404, 405])('copies it where the mount is refused with %i', async (status) => {
    home.registry.putBlob('packages/java', layer);
    home.proxy.fault({ path: /mount=/, action: { kind: 'status', status } });
    expect(await copyFrom(repository(home, 'packages/java'))).toBe('uploaded');
    expect(lines(home)).toEqual(['POST mount', 'HEAD', 'POST', 'GET', 'PUT']);
  });

  it('does not copy what is there already, where the mount is refused', async () => {
    for (const name of ['packages/java', 'builders/one']) home.registry.putBlob(name, layer);
    home.proxy.fault({ path: /mount=/, action: { kind: 'status', status: 403 } });
    expect(await copyFrom(repository(home, 'packages/java'))).toBe('present');
    expect(lines(home)).toEqual(['POST mount', 'HEAD']);
  });
});

describe('ensureBlob, of a blob of another registry', () => {
  beforeEach(() => {
    abroad.registry.putBlob('packages/java', layer);
  });
  const source = () => repository(abroad, 'packages/java');

  it('asks, and copies what is missing', async () => {
    expect(await copyFrom(source())).toBe('uploaded');
    expect([lines(home), lines(abroad)]).toEqual([['HEAD', 'POST', 'PUT'], ['GET']]);
    expect(home.registry.getBlob(digest)).toEqual(layer);
  });

  it('asks, and leaves what is there', async () => {
    home.registry.putBlob('builders/one', layer);
    expect(await copyFrom(source())).toBe('present');
    expect([lines(home), lines(abroad)]).toEqual([['HEAD'], []]);
  });

  it('never lets copies within one registry wait for each other', async () => {
    await testClient.client.close();
    testClient = createTestClient({ maxConnectionsPerHost: 1, headersTimeoutMs: 5000, bodyTimeoutMs: 5000 });
    home.registry.putBlob('packages/java', layer);
    home.proxy.fault({ path: /mount=/, action: { kind: 'status', status: 403 } });
    const names = ['builders/a', 'builders/b', 'builders/c'];
    const copies = names.map((name) => {
      const target = { repository: repository(home, name), digest, sizeBytes: layer.length };
      const from = {
        kind: 'blob',
        repository: repository(home, 'packages/java'),
        keychain: anonymousKeychain,
      } as const;
      return testClient.client.ensureBlob(target, from, anonymousKeychain, never());
    });
    expect(await Promise.all(copies)).toEqual(['uploaded', 'uploaded', 'uploaded']);
  });

  it('opens the source again when it is cut', async () => {
    abroad.proxy.fault({ times: 1, action: { kind: 'cutBody', afterBytes: 500_000 } });
    expect(await copyFrom(source())).toBe('uploaded');
    expect(lines(abroad)).toEqual(['GET', 'GET']);
    expect(home.registry.getBlob(digest)).toEqual(layer);
    expect(testClient.retries).toEqual(['RegistryUnavailable']);
  });

  it('opens the source again when the target is cut', async () => {
    home.proxy.fault({ method: 'PUT', times: 1, action: { kind: 'cutUpload', afterBytes: 300_000 } });
    expect(await copyFrom(source())).toBe('uploaded');
    expect(home.registry.getBlob(digest)).toEqual(layer);
  });

  it('asks the source no more often than it tries itself, and blames it', async () => {
    abroad.proxy.fault({ action: { kind: 'status', status: 503 } });
    const failure = await failureFrom(copyFrom(source()));
    expect(failure).toMatchObject({ class: 'transient', reason: 'RegistryError', origin: abroad.proxy.url });
    expect(failure.message).toBe(`Cannot read blob ${abroad.proxy.host}/packages/java@${digest}: answered 503`);
    expect(lines(abroad)).toEqual(['GET', 'GET', 'GET']);
  });

  it('never lets wrong bytes arrive whole', async () => {
    abroad.proxy.fault({ action: { kind: 'wrongBytes' } });
    const failure = await failureFrom(copyFrom(source()));
    expect(failure).toMatchObject({ class: 'transient', reason: 'UnexpectedContent', origin: abroad.proxy.url });
    expect(home.proxy.requests.filter(({ method, status }) => method === 'PUT' && status !== undefined)).toEqual([]);
  });

  it('does not begin with a blob of another size than its descriptor says', async () => {
    abroad.proxy.fault({ action: { kind: 'status', status: 200, body: 'short' } });
    const failure = await failureFrom(copyFrom(source()));
    expect(failure).toMatchObject({ class: 'transient', reason: 'UnexpectedContent' });
    expect(failure.message).toContain('another size');
    expect(lines(home)).not.toContain('PUT');
  });

  it('believes a target that refuses before it has read everything', async () => {
    const server = createServer((request, response) => {
      if (request.method === 'HEAD') response.writeHead(404).end();
      else if (request.method === 'POST') response.writeHead(202, { location: '/upload' }).end();
      else response.writeHead(413).end(() => request.resume());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const registry = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const target = { repository: { registry, repository: 'a' }, digest, sizeBytes: layer.length };
    const from = { kind: 'blob', repository: source(), keychain: anonymousKeychain } as const;
    const failure = await failureFrom(testClient.client.ensureBlob(target, from, anonymousKeychain, never()));
    server.closeAllConnections();
    server.close();
    expect(failure).toMatchObject({ class: 'invalid', reason: 'UploadRejected', httpStatus: 413 });
    expect(failure.message).toMatch(/answered 413; 1000000 bytes were to be sent$/);
  });

  it('does not wait for the rest when the target has refused', async () => {
    home.proxy.fault({ method: 'PUT', action: { kind: 'status', status: 403 } });
    expect(await failureFrom(copyFrom(source()))).toMatchObject({ class: 'auth', origin: home.proxy.url });
  });

  it('ends both exchanges at once when the caller stops', async () => {
    abroad.proxy.fault({ action: { kind: 'stallBody', afterBytes: 500_000 } });
    const stopping = new AbortController();
    const failing = failureFrom(copyFrom(source(), anonymousKeychain, stopping.signal));
    await expect.poll(() => lines(home)).toContain('PUT');
    stopping.abort(new Error('shutdown'));
    expect(await failing).toMatchObject({ class: 'aborted' });
    await expect.poll(() => testClient.brokenCount()).toBe(2);
  });

  it('reads no faster than the target takes', async () => {
    const sizeBytes = 64 * 1024 * 1024;
    const chunk = Buffer.alloc(65_536);
    let sentBytes = 0;
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-length': sizeBytes });
      const more = () => {
        let hasRoom = true;
        while (hasRoom && sentBytes < sizeBytes) {
          hasRoom = response.write(chunk);
          sentBytes += chunk.length;
        }
      };
      response.on('drain', more);
      more();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    home.proxy.fault({ method: 'PUT', action: { kind: 'slow', bytesPerSecond: 1_000_000 } });
    const stopping = new AbortController();
    const target = { repository: repository(home, 'builders/one'), digest, sizeBytes };
    const registry = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const slow = { kind: 'blob', repository: { registry, repository: 'a' }, keychain: anonymousKeychain } as const;
    const failing = failureFrom(testClient.client.ensureBlob(target, slow, anonymousKeychain, stopping.signal));
    await expect.poll(() => lines(home)).toContain('PUT');
    await new Promise((resolve) => setTimeout(resolve, 300));
    stopping.abort(new Error('enough'));
    await failing;
    server.closeAllConnections();
    server.close();
    // Socket buffers on both sides hold some megabytes; everything else would be ours.
    expect(sentBytes).toBeLessThan(sizeBytes / 4);
  });
});
