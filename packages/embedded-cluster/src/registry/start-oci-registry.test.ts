import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { encodeImage, mediaTypes } from '../samples/sample-image.ts';
import { exchangeHttp } from '../testing/http-exchange.ts';
import { sha256Digest } from './registry-store.ts';
import { type OciRegistry, startOciRegistry } from './start-oci-registry.ts';

const octets = { 'Content-Type': 'application/octet-stream' };
const digest = sha256Digest(Buffer.from('hello'));
const image = encodeImage({ family: 'docker', architecture: 'amd64', os: 'linux', config: { Labels: {} }, layers: [] });

let registry: OciRegistry;
beforeEach(async () => {
  registry = await startOciRegistry();
});
afterEach(() => registry.close());

const codeOf = (body: string) => (JSON.parse(body) as { errors: { code: string }[] }).errors[0]?.code;

async function startUpload(): Promise<string> {
  const { headers } = await exchangeHttp(`${registry.url}/v2/team/app/blobs/uploads/`, { method: 'POST' });
  return headers.location ?? '';
}

describe('OciRegistry, where it keeps to the specification and docker-registry 2.8 does not', () => {
  it('refuses a chunk that does not continue the last one, and says where it stands', async () => {
    const location = await startUpload();
    const first = await exchangeHttp(location, {
      method: 'PATCH',
      headers: { ...octets, 'Content-Range': '0-1' },
      body: 'he',
    });
    expect(first).toMatchObject({ status: 202, headers: { range: '0-1' } });
    const next = first.headers.location ?? '';
    const gap = await exchangeHttp(next, {
      method: 'PATCH',
      headers: { ...octets, 'Content-Range': '3-4' },
      body: 'lo',
    });
    expect(gap).toMatchObject({ status: 416, headers: { range: '0-1', location: next } });
    const rest = await exchangeHttp(next, {
      method: 'PATCH',
      headers: { ...octets, 'Content-Range': '2-4' },
      body: 'llo',
    });
    const end = await exchangeHttp(`${rest.headers.location ?? ''}&digest=${digest}`, { method: 'PUT' });
    expect(end.status).toBe(201);
    expect(Buffer.from(registry.getBlob(digest) ?? []).toString()).toBe('hello');
  });

  it('takes a whole blob with the POST', async () => {
    const url = `${registry.url}/v2/team/app/blobs/uploads/?digest=${digest}`;
    const answer = await exchangeHttp(url, { method: 'POST', headers: octets, body: 'hello' });
    expect(answer).toMatchObject({ status: 201, headers: { 'docker-content-digest': digest } });
    expect(registry.uploads).toEqual([{ repository: 'team/app', digest }]);
  });

  it('lists tags in pages', async () => {
    for (const tag of ['c', 'a', 'b']) registry.putManifest('team/app', tag, image.manifest);
    const first = await exchangeHttp(`${registry.url}/v2/team/app/tags/list?n=2`);
    expect(JSON.parse(first.body)).toEqual({ name: 'team/app', tags: ['a', 'b'] });
    expect(first.headers['link']).toBe('</v2/team/app/tags/list?last=b&n=2>; rel="next"');
    const second = await exchangeHttp(`${registry.url}/v2/team/app/tags/list?last=b&n=2`);
    expect(JSON.parse(second.body)).toEqual({ name: 'team/app', tags: ['c'] });
    expect(second.headers['link']).toBeUndefined();
  });

  it('removes a tag alone', async () => {
    registry.putManifest('team/app', 'a', image.manifest);
    registry.putManifest('team/app', 'b', image.manifest);
    const answer = await exchangeHttp(`${registry.url}/v2/team/app/manifests/a`, { method: 'DELETE' });
    expect(answer.status).toBe(202);
    expect(registry.tags('team/app')).toEqual(['b']);
  });

  it('answers a range past the end without a body', async () => {
    registry.putBlob('team/app', Buffer.from('hello'));
    const answer = await exchangeHttp(`${registry.url}/v2/team/app/blobs/${digest}`, {
      headers: { Range: 'bytes=9-' },
    });
    expect(answer).toMatchObject({ status: 416, headers: { 'content-range': 'bytes */5' }, body: '' });
  });

  it('has no schema 1 for a client that does not accept the stored Docker type', async () => {
    registry.putManifest('team/app', 'a', image.manifest);
    const answer = await exchangeHttp(`${registry.url}/v2/team/app/manifests/a`, {
      headers: { Accept: mediaTypes.oci.manifest },
    });
    expect([answer.status, codeOf(answer.body)]).toEqual([400, 'MANIFEST_INVALID']);
  });
});

describe('OciRegistry', () => {
  it('refuses a manifest that is no JSON', async () => {
    const url = `${registry.url}/v2/team/app/manifests/a`;
    const answer = await exchangeHttp(url, {
      method: 'PUT',
      headers: { 'Content-Type': image.manifest.mediaType },
      body: '{',
    });
    expect([answer.status, codeOf(answer.body)]).toEqual([400, 'MANIFEST_INVALID']);
  });

  it('refuses a state that another session gave, and one that is no URL of its', async () => {
    const [one, two] = [await startUpload(), await startUpload()];
    const mixed = `${one.replace(/\?.*$/, '')}${two.replace(/^[^?]*/, '')}`;
    for (const url of [mixed, one.replace('%2B', '+')]) {
      const answer = await exchangeHttp(url, { method: 'PATCH', headers: octets, body: 'x' });
      expect([answer.status, codeOf(answer.body)]).toEqual([404, 'BLOB_UPLOAD_INVALID']);
    }
  });

  it('keeps what arrived of a chunk that was cut, and so obeys the old location no more', async () => {
    const location = await startUpload();
    const { pathname, search } = new URL(location);
    const socket = connect(registry.port, '127.0.0.1');
    socket.write(`PATCH ${pathname}${search} HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\nhalf`);
    await expect.poll(() => registry.requests.length).toBe(2);
    socket.destroy();
    await once(socket, 'close');
    await expect.poll(async () => (await exchangeHttp(location)).status).toBe(404);
    expect(registry.requests[1]?.status).toBeUndefined();
    expect(registry.uploads).toEqual([]);
  });

  it('can be filled, read and emptied from the inside', () => {
    expect(registry.putBlob('team/app', Buffer.from('hello'))).toBe(digest);
    expect(registry.putManifest('team/app', 'a', image.manifest)).toBe(image.digest);
    expect(registry.getManifest('team/app', 'a')).toEqual(image.manifest);
    expect(registry.getManifest('team/app', image.digest)).toEqual(image.manifest);
    expect(registry.deleteManifest('team/app', image.digest)).toBe(true);
    expect(registry.getManifest('team/app', 'a')).toBeUndefined();
    expect(registry.deleteBlob('team/app', digest)).toBe(true);
    expect(registry.deleteBlob('team/app', digest)).toBe(false);
  });

  it('listens on the port it is given, and says when that is taken', async () => {
    await expect(startOciRegistry({ port: registry.port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
    const { port } = registry;
    await registry.close();
    registry = await startOciRegistry({ port });
    expect(registry.host).toBe(`127.0.0.1:${port}`);
  });

  it('forgets its counts when told to', async () => {
    await exchangeHttp(`${registry.url}/v2/`);
    registry.resetCounts();
    expect([registry.requests, registry.uploads, registry.connectionCount]).toEqual([[], [], 0]);
  });
});
