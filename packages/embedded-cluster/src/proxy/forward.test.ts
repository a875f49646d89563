import { once } from 'node:events';
import {
  type ClientRequest,
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer, get as getTls } from 'node:https';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { startApiServer } from '../api/api-server.ts';
import { listenOnLoopback } from '../listen.ts';
import { sha256Digest } from '../registry/registry-store.ts';
import { exchangeHttp } from '../testing/http-exchange.ts';
import { createServerIdentity } from '../testing/server-identity.ts';
import { type FaultProxy, type FaultProxyOptions, startFaultProxy } from './start-fault-proxy.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function listen(server: Server): Promise<number> {
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return await listenOnLoopback(server);
}

async function proxyTo(targetPort: number, options: Partial<FaultProxyOptions> = {}): Promise<FaultProxy> {
  const proxy = await startFaultProxy({ targetPort, ...options });
  closers.push(() => proxy.close());
  return proxy;
}

const proxyFor = async (answer: (request: IncomingMessage, response: ServerResponse) => void) =>
  await proxyTo(await listen(createServer(answer)));
const big = Buffer.alloc(5_000_000, 'abcdefgh');

/** The error that ends a request whose answer has begun. */
async function endOf(sent: ClientRequest): Promise<string | undefined> {
  const ended = Promise.withResolvers<string | undefined>();
  const onError = (error: NodeJS.ErrnoException) => {
    ended.resolve(error.code);
  };
  sent.on('error', onError);
  sent.on('close', () => {
    ended.resolve(undefined);
  });
  return await ended.promise;
}

describe('FaultProxy', () => {
  it('passes big bodies whole, both ways and many at once', async () => {
    const proxy = await proxyFor((asked, response) => void asked.pipe(response));
    const answers = await Promise.all(
      Array.from({ length: 3 }, () => exchangeHttp(proxy.url, { method: 'PUT', body: big })),
    );
    expect(answers.map(({ body }) => sha256Digest(Buffer.from(body)))).toEqual(answers.map(() => sha256Digest(big)));
  });

  it('passes a body of unknown length as one', async () => {
    const proxy = await proxyFor((asked, response) => {
      response.setHeader('X-Encoding', asked.headers['transfer-encoding'] ?? '');
      asked.pipe(response);
    });
    const sent = request(proxy.url, { method: 'PATCH', agent: false });
    Readable.from(['one ', 'two']).pipe(sent);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    expect(response.headers).toMatchObject({ 'x-encoding': 'chunked', 'transfer-encoding': 'chunked' });
    expect((await response.toArray()).join('')).toBe('one two');
  });

  it.each([
    ['HEAD', 200, { 'content-length': '123' }],
    ['GET', 204, {}],
    ['GET', 304, { etag: '"x"' }],
    ['DELETE', 202, { 'content-length': '0' }],
  ])('passes %s answered %i without a body', async (method, status, headers) => {
    const proxy = await proxyFor((_asked, response) => response.writeHead(status, headers).end());
    const answer = await exchangeHttp(proxy.url, { method });
    expect(answer).toMatchObject({ status, headers, body: '' });
    expect(answer.headers['transfer-encoding']).toBeUndefined();
  });

  it('passes names, repeated headers and the reason phrase as they are', async () => {
    const proxy = await proxyFor((asked, response) => {
      response.sendDate = false;
      response.writeHead(401, 'Who Is There', [
        'WWW-Authenticate',
        'Basic',
        'WWW-Authenticate',
        'Bearer x',
        'X-Got',
        asked.rawHeaders.join(),
      ]);
      response.end();
    });
    const sent = request(proxy.url, { headers: ['Host', 'h.test', 'X-Two', '1', 'X-Two', '2'], agent: false }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
    expect(response.statusMessage).toBe('Who Is There');
    expect(response.rawHeaders.slice(0, 4)).toEqual(['WWW-Authenticate', 'Basic', 'WWW-Authenticate', 'Bearer x']);
    expect(response.headers['x-got']).toMatch(/^Host,h\.test,X-Two,1,X-Two,2,/);
  });

  it('passes the keep-alive hint of the backend', async () => {
    const proxy = await proxyFor((_asked, response) => response.end());
    const sent = request(proxy.url, { headers: { Connection: 'keep-alive' }, agent: false }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
    expect(response.headers).toMatchObject({ connection: 'keep-alive', 'keep-alive': 'timeout=5' });
    sent.destroy();
  });

  it('passes an answer that comes before the upload is through', async () => {
    const proxy = await proxyFor((_asked, response) => response.writeHead(413, { Connection: 'close' }).end('too big'));
    const sent = request(proxy.url, { method: 'PUT', headers: { 'Content-Length': '1000000' }, agent: false });
    sent.on('error', () => undefined);
    sent.write('first');
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    expect([response.statusCode, (await response.toArray()).join('')]).toEqual([413, 'too big']);
  });

  it('tells the backend when the client has gone', async () => {
    const gone = Promise.withResolvers<string>();
    const proxy = await proxyFor((_asked, response) => {
      response.write('begin');
      response.on('close', () => {
        gone.resolve('gone');
      });
    });
    const sent = request(proxy.url, { agent: false }).end();
    await once(sent, 'response');
    sent.on('error', () => undefined);
    sent.destroy();
    expect(await gone.promise).toBe('gone');
  });

  it('breaks off when the backend breaks off in the middle of a body', async () => {
    const proxy = await proxyFor((_asked, response) => {
      response.writeHead(200, { 'Content-Length': '100' });
      response.write('begin', () => response.socket?.resetAndDestroy());
    });
    await expect(exchangeHttp(proxy.url)).rejects.toThrow(/broke off|ECONNRESET|hang up/);
  });

  it('does not take more from the backend than the client reads', async () => {
    let sentBytes = 0;
    const proxy = await proxyFor((_asked, response) => {
      const pump = () => {
        while (response.write(big.subarray(0, 65_536))) sentBytes += 65_536;
        sentBytes += 65_536;
      };
      response.on('drain', pump);
      pump();
    });
    const client = connect(proxy.port, '127.0.0.1');
    client.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n');
    client.pause();
    await delay(200);
    const after = sentBytes;
    await delay(200);
    expect(sentBytes).toBe(after);
    expect(after).toBeLessThan(32_000_000);
    client.destroy();
  });

  it('does not take more from the client than the backend reads', async () => {
    const proxy = await proxyFor((asked) => void asked.pause());
    const client = connect(proxy.port, '127.0.0.1');
    client.on('error', () => undefined);
    client.write(`PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000000\r\n\r\n`);
    const pump = () => {
      while (client.write(big.subarray(0, 65_536)));
    };
    client.on('drain', pump);
    pump();
    await delay(200);
    const after = client.bytesWritten;
    await delay(200);
    expect(client.bytesWritten - client.writableLength).toBeLessThan(32_000_000);
    expect(client.bytesWritten).toBe(after);
    client.destroy();
  });

  it('passes a long watch of the Kubernetes API: the head at once, each event when it happens', async () => {
    const api = await startApiServer();
    closers.push(() => api.close());
    const proxy = await proxyTo(api.port);
    const sent = request(`${proxy.url}/api/v1/namespaces/default/secrets?watch=true`, { agent: false }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const read = async () => ((await once(response, 'data')) as [Buffer])[0].toString();
    const first = read();
    await api.apply({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a', namespace: 'default' } });
    expect(await first).toMatch(/"type":"ADDED"/);
    const second = read();
    await api.delete('/api/v1/namespaces/default/secrets/a');
    expect(await second).toMatch(/"type":"DELETED"/);
    proxy.cutConnections();
    await expect(endOf(sent)).resolves.toBe('ECONNRESET');
  });

  it('cuts a watch at once when told to after no byte', async () => {
    const proxy = await proxyFor((_asked, response) => {
      response.flushHeaders();
    });
    proxy.fault({ action: { kind: 'cutBody', afterBytes: 0 } });
    const sent = request(proxy.url, { agent: false }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(200);
    expect(await endOf(sent)).toBe('ECONNRESET');
  });
});

describe('FaultProxy with TLS', () => {
  const identity = createServerIdentity();
  const backend = () => createTlsServer(identity, (_asked, response) => response.end('safe')) as unknown as Server;

  it('speaks it to the backend and to the client', async () => {
    const proxy = await proxyTo(await listen(backend()), { targetUsesTls: true, identity });
    expect(proxy.url).toBe(`https://${proxy.host}`);
    const [response] = (await once(getTls(proxy.url, { ca: identity.cert, agent: false }), 'response')) as [
      IncomingMessage,
    ];
    expect((await response.toArray()).join('')).toBe('safe');
  });

  it('speaks it to the backend alone', async () => {
    const proxy = await proxyTo(await listen(backend()), { targetUsesTls: true });
    expect((await exchangeHttp(proxy.url)).body).toBe('safe');
  });

  it('resets under it', async () => {
    const proxy = await proxyTo(await listen(backend()), { targetUsesTls: true, identity });
    proxy.fault({ action: { kind: 'reset' } });
    const sent = getTls(proxy.url, { ca: identity.cert, agent: false });
    await expect(once(sent, 'response')).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  it('is refused by a client that does not know its authority', async () => {
    const proxy = await proxyTo(await listen(backend()), { targetUsesTls: true, identity });
    await expect(once(getTls(proxy.url, { agent: false }), 'response')).rejects.toMatchObject({
      code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
    });
  });
});
