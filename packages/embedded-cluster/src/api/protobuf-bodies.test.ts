import { describe, expect, it } from 'vitest';
import { decodeProtobuf } from './protobuf-bodies.ts';
import { startApiServer } from './api-server.ts';
import { call } from './testing/api-client.ts';

// As kubectl 1.32 sends them: `create namespace foo`, `create secret generic s --from-literal=a=b`.
const namespaceBody = Buffer.from(
  '6b3873000a0f0a02763112094e616d657370616365121b0a130a03666f6f12001a0022002a0032003800420012001a020a001a002200',
  'hex',
);
const secretBody = Buffer.from(
  '6b3873000a0c0a0276311206536563726574121d0a110a017312001a0022002a00320038004200' +
    '12060a0161120162' +
    '1a001a002200',
  'hex',
);

describe('decodeProtobuf', () => {
  it.each([
    ['a Namespace', namespaceBody, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'foo' } }],
    ['a Secret', secretBody, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data: { a: 'Yg==' } }],
  ])('reads %s as kubectl sends it', (_case, body, object) => {
    expect(decodeProtobuf(body)).toEqual(object);
  });

  it.each([
    ['JSON', Buffer.from('{}')],
    ['half a message', namespaceBody.subarray(0, 18)],
    ['a kind that is not known', Buffer.concat([Buffer.from('k8s\0\x0a\x09\x0a\x02v1\x12\x03Pod')])],
  ])('refuses %s', (_case, body) => {
    expect(() => decodeProtobuf(body)).toThrow(expect.objectContaining({ code: 400 }));
  });

  it('is taken for built-in kinds alone', async () => {
    const server = await startApiServer();
    try {
      const request = { method: 'POST', body: namespaceBody, contentType: 'application/vnd.kubernetes.protobuf' };
      expect((await call(`${server.url}/api/v1/namespaces`, request)).status).toBe(201);
      expect(await server.get('/api/v1/namespaces/foo')).toMatchObject({ metadata: { name: 'foo' } });
    } finally {
      await server.close();
    }
  });
});
