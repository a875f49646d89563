import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { failureOf } from '@buildkeeper/retry-policy';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KubeClient } from './kube-client.ts';
import type { KubeTarget } from './kube-target.ts';
import type { KubeObserver } from './observer.ts';
import type { KubeClientOptions } from './pooled-kube-client.ts';
import { certificates } from './testing/certificates.ts';
import { quickClient, until } from './testing/rig.ts';
import { openTarget, refuse, reset, ScriptServer, type Widget, widgetResource } from './testing/script-server.ts';

const name = { namespace: 'team', name: 'w1' };
const { signal } = new AbortController();

let server: ScriptServer;
let client: KubeClient;
const open = (options: Partial<KubeClientOptions> = {}) => (client = quickClient(server.url, options));
const get = (own = client, ownSignal = signal) => own.get<Widget>(widgetResource, name, ownSignal);
const failing = async (call: Promise<unknown>) =>
  failureOf(
    await call.then(
      () => undefined,
      (error: unknown) => error,
    ),
  );

beforeEach(async () => {
  server = await new ScriptServer().start();
  server.write('w1', 1);
  open();
});
afterEach(async () => {
  await client.close();
  await server.close();
});

describe('connections', () => {
  it('serve a hundred calls, one after the other, over one of them', async () => {
    for (let call = 0; call < 100; call += 1) await get();
    expect(server.connectionCount).toBe(1);
  });

  it('are bounded in a burst', async () => {
    await Promise.all(Array.from({ length: 200 }, () => get()));
    expect(server.count('other')).toBe(200);
    expect(server.peakConnections).toBeLessThanOrEqual(16);
  });

  it('of watches are apart, so that calls go on however many watches there are', async () => {
    const stop = new AbortController();
    const options = { resourceVersion: '11', timeoutSeconds: 60, silenceMs: 5000 };
    const watches = Array.from({ length: 20 }, () => client.watch<Widget>(widgetResource, options, stop.signal).next());
    await until(() => server.openWatches === 20);
    await get();
    stop.abort(new Error('stop'));
    const ends = await Promise.all(watches.map((watch) => failing(watch)));
    expect(new Set(ends.map((failure) => failure?.class))).toEqual(new Set(['aborted']));
  });

  it('are made anew when the TLS material changes, and the old ones end with their last request', async () => {
    let key = 'one';
    const target = { ...openTarget(server.url), credentials: () => Promise.resolve({ headers: {}, tls: { key } }) };
    const rotating = quickClient(server.url, { target });
    await get(rotating);
    await get(rotating);
    expect(server.connectionCount).toBe(1);
    key = 'two';
    await get(rotating);
    expect(server.connectionCount).toBe(2);
    await until(() => server.openConnections === 1);
    await rotating.close();
  });

  it('are cut by close, and none is opened afterwards', async () => {
    server.scripts.other.push(() => undefined);
    const pending = failing(get());
    await until(() => server.count('other') === 1);
    await client.close();
    expect((await pending)?.class).toBe('transient');
    expect((await failing(get()))?.class).toBe('transient');
    expect(server.count('other')).toBe(1);
  });

  it('go through the proxy of the kubeconfig', async () => {
    const proxy = await startConnectProxy();
    const proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const tls = await new ScriptServer(certificates.server).start();
    tls.write('w1', 7);
    const target = {
      ...openTarget(tls.url),
      proxyUrl,
      credentials: () => Promise.resolve({ headers: {}, tls: { ca: certificates.ca } }),
    };
    const proxied = quickClient(tls.url, { target });
    expect((await get(proxied)).spec.size).toBe(7);
    await proxied.close();
    await tls.close();
    proxy.close();
  });
});

describe('TLS', () => {
  it.each([
    ['an unknown issuer', {}, /UNABLE_TO_VERIFY_LEAF_SIGNATURE|SELF_SIGNED/],
    ['a wrong name', { ca: certificates.ca, servername: 'other.test' }, /ERR_TLS_CERT_ALTNAME_INVALID/],
  ])('refuses %s', async (_, tlsMaterial, code) => {
    const tls = await new ScriptServer(certificates.server).start();
    const target = { ...openTarget(tls.url), credentials: () => Promise.resolve({ headers: {}, tls: tlsMaterial }) };
    const own = quickClient(tls.url, { target });
    const failure = await failing(get(own));
    expect(failure).toMatchObject({ class: 'transient', evidence: 'dead' });
    expect(failure?.message).toMatch(code);
    await own.close();
    await tls.close();
  });

  it('shows the client certificate', async () => {
    const tls = await new ScriptServer({ ...certificates.server, ca: certificates.ca, requestCert: true }).start();
    tls.write('w1', 7);
    const material = { ca: certificates.ca, ...certificates.client };
    const target = { ...openTarget(tls.url), credentials: () => Promise.resolve({ headers: {}, tls: material }) };
    const own = quickClient(tls.url, { target });
    expect((await get(own)).spec.size).toBe(7);
    await own.close();
    await tls.close();
  });
});

describe('repeating', () => {
  it('happens for idempotent calls, and is told of', async () => {
    const retried: string[] = [];
    const finished: string[] = [];
    const observer = {
      ...observerOf(finished),
      retryScheduled: ({ reason }: { reason: string }) => retried.push(reason),
    };
    const pace = { baseDelayMs: 1, factor: 1, maxDelayMs: 1 };
    const own = quickClient(server.url, { requestAttempts: 3, requestPace: pace, observer });
    server.scripts.other.push(reset, refuse(503, 'ServiceUnavailable'));
    await get(own);
    expect(retried).toEqual(['KubernetesAPIError', 'KubernetesAPIError']);
    expect(finished).toEqual(['GET get <error>', 'GET get 503', 'GET get 200']);
    server.scripts.other.push(reset, reset, reset);
    expect((await failing(get(own)))?.class).toBe('transient');
    expect(server.count('other')).toBe(6);
    await own.close();
  });

  it('never happens for a create', async () => {
    const own = quickClient(server.url, { requestAttempts: 3 });
    server.scripts.other.push(reset);
    const created = own.create<Widget>(widgetResource, { metadata: name, spec: { size: 1 } }, signal);
    expect((await failing(created))?.inRequestRetry).toBe('never');
    expect(server.count('other')).toBe(1);
    await own.close();
  });
});

describe('a 401', () => {
  function rotatingTarget(url: string, tokens: string[]) {
    const target: KubeTarget & { refreshed: number } = {
      ...openTarget(url),
      refreshed: 0,
      credentials: () => Promise.resolve({ headers: { authorization: `Bearer ${tokens[0] ?? ''}` }, tls: {} }),
      refresh() {
        target.refreshed += 1;
        tokens.shift();
      },
    };
    return target;
  }
  const wantsFresh = (
    response: Parameters<ReturnType<typeof refuse>>[0],
    seen: Parameters<ReturnType<typeof refuse>>[1],
  ) => {
    if (seen.headers.authorization === 'Bearer fresh') response.end('{}');
    else refuse(401, 'Unauthorized')(response, seen);
  };

  it('makes the credentials be read anew, and the request be sent once more', async () => {
    const target = rotatingTarget(server.url, ['stale', 'fresh']);
    const own = quickClient(server.url, { target });
    server.scripts.other.push(wantsFresh, wantsFresh, wantsFresh);
    await get(own);
    await get(own);
    expect(target.refreshed).toBe(1);
    expect(server.count('other')).toBe(3);
    await own.close();
  });

  it('that stays is a failure of class auth, after one repetition, and names no token', async () => {
    const target = rotatingTarget(server.url, ['stale', 'staler', 'stalest']);
    const own = quickClient(server.url, { target, requestAttempts: 3 });
    server.scripts.other.push(wantsFresh, wantsFresh, wantsFresh);
    const failure = await failing(get(own));
    expect(failure).toMatchObject({ class: 'auth', httpStatus: 401 });
    expect(JSON.stringify(failure)).not.toMatch(/stale|Bearer/);
    expect(server.count('other')).toBe(2);
    await own.close();
  });

  it('renews a watch and a create too', async () => {
    const target = rotatingTarget(server.url, ['stale', 'fresh', 'stale', 'fresh']);
    const own = quickClient(server.url, { target });
    server.scripts.other.push(wantsFresh, wantsFresh);
    await own.create<Widget>(widgetResource, { metadata: name, spec: { size: 1 } }, signal);
    server.scripts.watch.push(wantsFresh);
    const options = { resourceVersion: '11', timeoutSeconds: 60, silenceMs: 5000 };
    await own.watch<Widget>(widgetResource, options, signal).next();
    expect(server.count('watch')).toBe(1);
    await own.close();
  });

  it('keeps its own failure when the credentials cannot be read again', async () => {
    const target = {
      ...openTarget(server.url),
      refresh: () => {
        throw new Error('the file is gone, its token was abc');
      },
    };
    const own = quickClient(server.url, { target });
    server.scripts.other.push(wantsFresh);
    expect(await failing(get(own))).toMatchObject({ class: 'auth', httpStatus: 401 });
    await own.close();
  });
});

describe('stopping', () => {
  it('ends a call in flight, as class aborted, counts nothing, and lets go of its connection', async () => {
    const stop = new AbortController();
    const finished: string[] = [];
    open({ observer: observerOf(finished) });
    server.scripts.other.push(() => undefined);
    const call = failing(get(client, stop.signal));
    await until(() => server.count('other') === 1);
    stop.abort(new Error('stop'));
    expect(await call).toMatchObject({ class: 'aborted', inRequestRetry: 'never' });
    expect(finished).toEqual([]);
    await until(() => server.openConnections === 0);
  });

  it('ends the wait between two attempts, as class aborted', async () => {
    const stop = new AbortController();
    const pace = { baseDelayMs: 4000, factor: 1, maxDelayMs: 4000 };
    open({ requestAttempts: 3, requestPace: pace });
    server.scripts.other.push(reset);
    const call = failing(get(client, stop.signal));
    await until(() => server.count('other') === 1);
    await delay(20);
    stop.abort(new Error('stop'));
    expect((await call)?.class).toBe('aborted');
  });

  it('sends nothing when it came first', async () => {
    expect((await failing(get(client, AbortSignal.abort(new Error('stop')))))?.class).toBe('aborted');
    expect(server.seen).toHaveLength(0);
  });
});

describe('what a failure says', () => {
  it.each([
    ['a page of a proxy', '<html>busy</html>', 502, '502 Bad Gateway'],
    ['a status without text', '', 503, '503 Service Unavailable'],
    ['a redirect, which is not followed', '', 302, '302 Found'],
    [
      'a Status longer than anybody reads',
      `{"kind":"Status","reason":"${'x'.repeat(100_000)}"}`,
      500,
      '500 Internal Server Error',
    ],
  ])('is stable for %s', async (_, body, status, text) => {
    server.scripts.other.push((response) => response.writeHead(status, { location: server.url }).end(body));
    expect((await failing(get()))?.message).toBe(`Cannot get example.org/v1 widgets team/w1: ${text}`);
  });

  it('holds no query', async () => {
    server.scripts.list.push(refuse(500, 'InternalError'));
    const list = client.listPage(widgetResource, { limit: 5, continueToken: 'opaque' }, signal);
    expect((await failing(list))?.message).toBe('Cannot list example.org/v1 widgets: 500 InternalError');
  });

  it('holds no address of a server that refuses connections', async () => {
    const own = quickClient('http://127.0.0.1:1');
    const failure = await failing(get(own));
    expect(failure?.message).toBe('Cannot get example.org/v1 widgets team/w1: ECONNREFUSED');
    expect(failure).toMatchObject({ evidence: 'dead', origin: 'http://127.0.0.1:1' });
    await own.close();
  });

  it('calls half an answer what it is', async () => {
    server.scripts.other.push((response) => response.end('{"metadata":'));
    expect((await failing(get()))?.message).toContain('the answer is not understood (not JSON)');
  });
});

it('names itself', async () => {
  open({ userAgent: 'buildkeeper-builder/1' });
  await get();
  expect(server.seen.at(-1)?.headers['user-agent']).toBe('buildkeeper-builder/1');
});

/** Writes down what it is told of requests. */
function observerOf(finished: string[]): KubeObserver {
  return {
    requestFinished: ({ method, verb, code }) => finished.push(`${method} ${verb} ${code}`),
    watchEvent: () => undefined,
    watchRestarted: () => undefined,
  };
}

/** A proxy that tunnels CONNECT and nothing else. */
async function startConnectProxy(): Promise<Server> {
  const proxy = createServer((_, response) => response.writeHead(405).end());
  proxy.on('connect', (request, socket, head) => {
    const [host, port] = (request.url ?? '').split(':');
    const upstream = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.write(head);
      upstream.pipe(socket);
      socket.pipe(upstream);
    });
    upstream.on('error', () => socket.destroy());
    socket.on('error', () => upstream.destroy());
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return proxy;
}
