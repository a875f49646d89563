import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listenOnLoopback } from '../listen.ts';
import { type FaultAction } from './fault-rules.ts';
import { type FaultProxy, startFaultProxy } from './start-fault-proxy.ts';

let backend: Server;
let proxy: FaultProxy;
let served: string[];
let received: Buffer[];
const sockets = new Set<Socket>();

beforeEach(async () => {
  served = [];
  received = [];
  backend = createServer((request, response) => {
    served.push(`${request.method ?? ''} ${request.url ?? ''}`);
    request.on('data', (chunk: Buffer) => received.push(chunk));
    request.on('error', () => undefined);
    request.on('end', () => {
      response.setHeader('X-Host', request.headers.host ?? '');
      response.setHeader('Content-Length', 10);
      response.end('0123456789');
    });
  });
  proxy = await startFaultProxy({ targetPort: await listenOnLoopback(backend) });
});

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  await proxy.close();
  backend.closeAllConnections();
  backend.close();
});

interface Heard {
  readonly text: () => string;
  /** The error code the socket ended with, 'end' for an orderly close, 'open' when nothing ended it for a while. */
  readonly ending: (waitMs?: number) => Promise<string>;
  readonly socket: Socket;
}

/** A client without any HTTP library: what it hears is what was on the wire. */
function dial(port: number, text = ''): Heard {
  const socket = connect(port, '127.0.0.1');
  sockets.add(socket);
  let heard = '';
  socket.on('data', (chunk: Buffer) => (heard += chunk.toString('latin1')));
  const ended = new Promise<string>((resolve) => {
    socket.on('error', (error: NodeJS.ErrnoException) => {
      resolve(error.code ?? 'error');
    });
    socket.on('end', () => {
      resolve('end');
    });
  });
  socket.write(text);
  return {
    text: () => heard,
    socket,
    ending: (waitMs = 3000) => Promise.race([ended, delay(waitMs, 'open', { ref: false })]),
  };
}

const get = (path = '/', headers = '') => `GET ${path} HTTP/1.1\r\nHost: registry.test:5000\r\n${headers}\r\n`;
const post = (body: string) => `POST / HTTP/1.1\r\nHost: h\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
const getOnce = (path = '/') => get(path, 'Connection: close\r\n');

describe('FaultProxy', () => {
  it('passes requests and answers unchanged, Host included', async () => {
    const client = dial(proxy.port, getOnce('/a?b=c'));
    expect(await client.ending()).toBe('end');
    expect(client.text()).toMatch(/^HTTP\/1\.1 200 OK\r\nX-Host: registry\.test:5000\r\nContent-Length: 10\r\n/);
    expect(client.text()).toMatch(/\r\n\r\n0123456789$/);
    expect(served).toEqual(['GET /a?b=c']);
    expect(proxy.requests).toMatchObject([{ method: 'GET', path: '/a', query: '?b=c', status: 200 }]);
  });

  it('resets before the head, and the backend sees nothing', async () => {
    proxy.fault({ action: { kind: 'reset' } });
    const client = dial(proxy.port, get());
    expect(await client.ending()).toBe('ECONNRESET');
    expect(client.text()).toBe('');
    expect(served).toEqual([]);
    expect(proxy.requests[0]?.status).toBeUndefined();
  });

  it('takes a request in and never answers', async () => {
    proxy.fault({ action: { kind: 'hang' } });
    const client = dial(proxy.port, get());
    expect(await client.ending(100)).toBe('open');
    expect(client.text()).toBe('');
    expect(proxy.requests).toMatchObject([{ action: 'hang' }]);
  });

  it('cuts a body short after the head with its true length', async () => {
    proxy.fault({ action: { kind: 'cutBody', afterBytes: 4 } });
    const client = dial(proxy.port, get());
    expect(await client.ending()).toBe('ECONNRESET');
    expect(client.text()).toMatch(/Content-Length: 10\r\n[^]*\r\n\r\n0123$/);
  });

  it('stops in the middle of a body', async () => {
    proxy.fault({ action: { kind: 'stallBody', afterBytes: 4 } });
    const client = dial(proxy.port, get());
    expect(await client.ending(100)).toBe('open');
    expect(client.text()).toMatch(/\r\n\r\n0123$/);
  });

  it('answers with a status of its own', async () => {
    const action: FaultAction = { kind: 'status', status: 429, headers: { 'Retry-After': '7' }, body: 'slow down' };
    proxy.fault({ action });
    const client = dial(proxy.port, getOnce());
    await client.ending();
    expect(client.text()).toMatch(/^HTTP\/1\.1 429 Too Many Requests\r\n[^]*Retry-After: 7\r\n[^]*\r\n\r\nslow down$/);
    expect(served).toEqual([]);
    expect(proxy.requests).toMatchObject([{ status: 429, action: 'status' }]);
  });

  it('sets and takes away headers of the answer', async () => {
    proxy.fault({ action: { kind: 'headers', set: { 'x-host': undefined, 'Docker-Content-Digest': 'sha256:0' } } });
    const client = dial(proxy.port, getOnce());
    await client.ending();
    expect(client.text()).toMatch(/Docker-Content-Digest: sha256:0\r\n/);
    expect(client.text()).not.toMatch(/X-Host/);
    expect(client.text()).toMatch(/0123456789$/);
  });

  it('changes bytes and keeps the length', async () => {
    proxy.fault({ action: { kind: 'wrongBytes' } });
    const client = dial(proxy.port, getOnce());
    await client.ending();
    expect(client.text()).toMatch(/Content-Length: 10\r\n[^]*\r\n\r\n1032547698$/);
  });

  it('redirects, with the path asked for', async () => {
    proxy.fault({ action: { kind: 'redirect', location: 'http://elsewhere.test{url}' } });
    const client = dial(proxy.port, getOnce('/a?b=c'));
    await client.ending();
    expect(client.text()).toMatch(/^HTTP\/1\.1 307 [^]*location: http:\/\/elsewhere\.test\/a\?b=c\r\n/);
  });

  it('slows bodies down', async () => {
    proxy.fault({ action: { kind: 'slow', bytesPerSecond: 50 } });
    const startMs = performance.now();
    const client = dial(proxy.port, getOnce());
    await client.ending();
    expect(client.text()).toMatch(/0123456789$/);
    expect(performance.now() - startMs).toBeGreaterThan(150);
  });

  it('cuts an upload in the middle, after the backend has read the beginning', async () => {
    proxy.fault({ action: { kind: 'cutUpload', afterBytes: 4 } });
    const client = dial(proxy.port, post('abcdefgh'));
    expect(await client.ending()).toBe('ECONNRESET');
    expect(Buffer.concat(received).toString()).toBe('abcd');
  });

  it('loses an answer after the backend has done what it was asked', async () => {
    proxy.fault({ action: { kind: 'loseAnswer' } });
    const client = dial(proxy.port, post('abcd'));
    expect(await client.ending()).toBe('ECONNRESET');
    expect(client.text()).toBe('');
    expect(served).toEqual(['POST /']);
  });

  it('refuses connections, cuts those there are, and listens again on the same port', async () => {
    const { port } = proxy;
    const before = dial(port, get());
    await once(before.socket, 'data');
    await proxy.refuse();
    expect(await before.ending()).toBe('ECONNRESET');
    expect(await dial(port).ending()).toBe('ECONNREFUSED');
    await proxy.accept();
    const after = dial(port, getOnce());
    expect(await after.ending()).toBe('end');
    expect(after.text()).toMatch(/^HTTP\/1\.1 200/);
    expect(proxy.port).toBe(port);
  });

  it('refuses and listens in the order it is told to, however fast', async () => {
    const open = dial(proxy.port, get());
    await once(open.socket, 'data');
    await Promise.all([proxy.refuse(), proxy.accept(), proxy.refuse(), proxy.refuse(), proxy.accept(), proxy.accept()]);
    expect(await open.ending()).toBe('ECONNRESET');
    expect(await dial(proxy.port, getOnce()).ending()).toBe('end');
  });

  it('cuts connections and serves new ones', async () => {
    const first = dial(proxy.port, get());
    await once(first.socket, 'data');
    proxy.cutConnections();
    expect(await first.ending()).toBe('ECONNRESET');
    expect(await dial(proxy.port, getOnce()).ending()).toBe('end');
    expect(proxy.connectionCount).toBe(2);
  });

  it('falls silent as a whole, and serves late', async () => {
    const old = dial(proxy.port, get());
    await once(old.socket, 'data');
    proxy.blackhole();
    const fresh = dial(proxy.port, get('/fresh'));
    await once(fresh.socket, 'connect');
    old.socket.write(get('/old'));
    expect(await Promise.race([fresh.ending(100), old.ending(100)])).toBe('open');
    expect(fresh.text()).toBe('');
    expect(served).toEqual(['GET /']);
    proxy.unblackhole();
    await once(fresh.socket, 'data');
    expect(fresh.text()).toMatch(/^HTTP\/1\.1 200/);
    expect([...served].sort()).toEqual(['GET /', 'GET /fresh', 'GET /old']);
  });

  it('resets the client when the backend is gone', async () => {
    backend.close();
    backend.closeAllConnections();
    await once(backend, 'close');
    expect(await dial(proxy.port, get()).ending()).toBe('ECONNRESET');
  });

  it('keeps one connection to the backend for one of the client, and passes its idle close on', async () => {
    const backendSockets: Socket[] = [];
    backend.on('connection', (socket) => backendSockets.push(socket));
    const client = dial(proxy.port, get());
    await once(client.socket, 'data');
    client.socket.write(get());
    await once(client.socket, 'data');
    expect(backendSockets).toHaveLength(1);
    backendSockets[0]?.end();
    expect(await client.ending()).toBe('end');
  });
});
