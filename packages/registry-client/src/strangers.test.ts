import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { anonymousKeychain } from './credential.ts';
import { parseReference } from './reference.ts';
import { createTestClient, failureFrom, never, type TestClient } from './testing/test-client.ts';

let testClient: TestClient;

beforeEach(() => {
  testClient = createTestClient();
});
afterEach(() => testClient.client.close());

describe('something that is no registry', () => {
  let server: Server;
  const sockets = new Set<Socket>();

  async function startSpeaker(speak: (socket: Socket) => void): Promise<string> {
    server = createServer((socket) => {
      sockets.add(socket.on('error', () => undefined));
      speak(socket);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return `127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  it('speaks another protocol', async () => {
    const host = await startSpeaker((socket) => socket.end('SSH-2.0-OpenSSH_9.9\r\n'));
    const failure = await failureFrom(
      testClient.client.headManifest(parseReference(`${host}/a:1`), anonymousKeychain, never()),
    );
    expect(failure).toMatchObject({ class: 'transient', scope: 'repository', reason: 'UnexpectedContent' });
    expect(failure.message).toMatch(/: answer is not HTTP \((HTTPParserError|HPE_\w+)\)$/);
  });

  it('hangs up on everybody', async () => {
    const host = await startSpeaker((socket) => socket.end());
    const failure = await failureFrom(
      testClient.client.headManifest(parseReference(`${host}/a:1`), anonymousKeychain, never()),
    );
    expect(failure).toMatchObject({
      class: 'transient',
      scope: 'host',
      evidence: 'dead',
      reason: 'RegistryUnavailable',
    });
    expect(failure.message).toContain('(UND_ERR_SOCKET); plain HTTP is spoken to this host because it is listed');
  });

  it('promises more than it sends', async () => {
    const host = await startSpeaker((socket) => {
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"half":');
    });
    const failure = await failureFrom(
      testClient.client.readImage(parseReference(`${host}/a:1`), anonymousKeychain, { signal: never() }),
    );
    expect(failure).toMatchObject({ class: 'transient', evidence: 'none', reason: 'RegistryUnavailable' });
    expect(testClient.exchanges).toEqual(Array(3).fill('manifest <error>'));
  });

  it('never answers the TLS hello', async () => {
    const host = await startSpeaker(() => undefined);
    const client = createTestClient({ plainHttpHosts: [], connectTimeoutMs: 100, requestAttempts: 1 });
    const failure = await failureFrom(
      client.client.headManifest(parseReference(`${host}/a:1`), anonymousKeychain, never()),
    );
    await client.client.close();
    expect(failure).toMatchObject({ class: 'transient', scope: 'host', evidence: 'dead', reason: 'RegistryTimeout' });
    expect(failure.message).toContain('connection timed out (UND_ERR_CONNECT_TIMEOUT)');
  });
});
