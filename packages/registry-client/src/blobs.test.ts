import { randomBytes } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { failureOf } from '@buildkeeper/retry-policy';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { anonymousKeychain } from './credential.ts';
import { digestOf } from './digest.ts';
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

const repository = () => ({ registry: faulty.proxy.host, repository: 'team/run' });
const open = (digest: string, signal = never()) =>
  testClient.client.openBlob(repository(), digest, anonymousKeychain, signal);
const readBlob = (digest: string, maxBytes: number) =>
  testClient.client.readBlob(repository(), digest, anonymousKeychain, { maxBytes, signal: never() });
const absent = digestOf(Buffer.from('nobody has this'));

describe('blobExists', () => {
  it('asks with one HEAD', async () => {
    const exists = (digest: string) => testClient.client.blobExists(repository(), digest, anonymousKeychain, never());
    expect([await exists(faulty.image.layerDigest), await exists(absent)]).toEqual([true, false]);
    expect(faulty.proxy.requests.map(({ method }) => method)).toEqual(['HEAD', 'HEAD']);
  });

  it('does not take an outage for an absence', async () => {
    faulty.proxy.fault({ action: { kind: 'status', status: 503 } });
    const call = testClient.client.blobExists(repository(), absent, anonymousKeychain, never());
    const failure = await failureFrom(call);
    expect(failure).toMatchObject({ class: 'transient', reason: 'RegistryError' });
    expect(failure.message).toBe(`Cannot look for blob ${faulty.proxy.host}/team/run@${absent}: answered 503`);
  });
});

describe('readBlob', () => {
  it('gives the bytes, up to the size that is permitted', async () => {
    const { layer, layerDigest } = faulty.image;
    expect(Buffer.from(await readBlob(layerDigest, layer.length))).toEqual(layer);
    const failure = await failureFrom(readBlob(layerDigest, layer.length - 1));
    expect(failure).toMatchObject({ class: 'invalid', reason: 'ImageInvalid' });
    expect(failure.message).toContain(`larger than ${layer.length - 1} bytes`);
  });
});

describe('openBlob', () => {
  const big = randomBytes(3_000_000);
  const bigDigest = digestOf(big);
  beforeAll(() => {
    faulty.registry.putBlob('team/run', big);
  });

  it('streams a blob', async () => {
    const chunks: Buffer[] = [];
    for await (const chunk of await open(bigDigest)) chunks.push(chunk as Buffer);
    expect(digestOf(Buffer.concat(chunks))).toBe(bigDigest);
    expect(testClient.exchanges).toEqual(['blob 200']);
  });

  it('starts again before the first byte, and not after it', async () => {
    faulty.proxy.fault({ times: 1, action: { kind: 'reset' } });
    faulty.proxy.fault({ times: 1, action: { kind: 'cutBody', afterBytes: 100_000 } });
    const failure = await failureFrom(text(await open(bigDigest)));
    expect(failure).toMatchObject({ class: 'transient', evidence: 'none', reason: 'RegistryUnavailable' });
    expect(failure.message).toContain(`Cannot read blob ${faulty.proxy.host}/team/run@${bigDigest}: connection reset`);
    expect(testClient.exchanges).toEqual(['blob <error>', 'blob <error>']);
  });

  it('holds back the end of a blob whose digest is wrong', async () => {
    faulty.proxy.fault({ action: { kind: 'wrongBytes' } });
    let sizeBytes = 0;
    const consume = async () => {
      for await (const chunk of await open(bigDigest)) sizeBytes += (chunk as Buffer).length;
    };
    expect(await failureFrom(consume())).toMatchObject({ class: 'transient', reason: 'UnexpectedContent' });
    expect(sizeBytes).toBeLessThan(big.length);
  });

  it('fails with class notFound for a blob that is not there', async () => {
    expect(await failureFrom(open(absent))).toMatchObject({ class: 'notFound', reason: 'ImageNotFound' });
  });

  it('gives the connection up at once when the reader leaves', async () => {
    faulty.proxy.fault({ action: { kind: 'stallBody', afterBytes: 100 } });
    const stream = await open(bigDigest);
    stream.on('error', () => undefined).resume();
    await new Promise((resolve) => setTimeout(resolve, 20));
    const startedMs = performance.now();
    stream.destroy();
    await expect.poll(() => testClient.exchanges).toEqual(['blob 200']);
    expect(performance.now() - startedMs).toBeLessThan(200);
  });

  it('ends with class aborted when the caller stops', async () => {
    faulty.proxy.fault({ action: { kind: 'stallBody', afterBytes: 100 } });
    const stop = new AbortController();
    const stream = await open(bigDigest, stop.signal);
    const ended = new Promise((resolve) => stream.on('error', resolve));
    stream.resume();
    stop.abort(new Error('shutdown'));
    expect(failureOf(await ended)).toMatchObject({ class: 'aborted' });
    expect(testClient.exchanges).toEqual(['blob <error>']);
  });
});
