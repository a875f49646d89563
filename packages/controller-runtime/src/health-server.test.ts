import { afterEach, describe, expect, it } from 'vitest';
import { startHealthServer, type HealthServer } from './health-server.ts';
import { parseHttpAddress } from './http-address.ts';

const servers: HealthServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function start(options: { address?: string; notReady?: readonly string[] } = {}): Promise<HealthServer> {
  const address = parseHttpAddress(options.address ?? '127.0.0.1:0');
  if (address === undefined) throw new Error('no address');
  const server = await startHealthServer(address, {
    render: () => Promise.resolve({ contentType: 'text/plain; version=0.0.4; charset=utf-8', body: 'up 1\n' }),
    notReadyReasons: () => options.notReady ?? [],
  });
  servers.push(server);
  return server;
}

describe('startHealthServer', () => {
  it.each([
    { path: '/healthz', status: 200, body: 'ok\n' },
    { path: '/readyz', status: 503, body: 'widgets are not listed yet\n' },
    { path: '/metrics', status: 200, body: 'up 1\n' },
    { path: '/metrics?x=1', status: 200, body: 'up 1\n' },
    { path: '/', status: 404, body: 'Not found; there are /metrics, /healthz and /readyz\n' },
  ])('answers $path with $status', async ({ path, status, body }) => {
    const { url } = await start({ notReady: ['widgets are not listed yet'] });
    const answer = await fetch(`${url}${path}`);
    expect(answer.status).toBe(status);
    expect(await answer.text()).toBe(body);
  });

  it('is ready when nothing is in the way', async () => {
    const { url } = await start();
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
  });

  it('gives the metrics their content type, and HEAD no body', async () => {
    const { url } = await start();
    const answer = await fetch(`${url}/metrics`, { method: 'HEAD' });
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(await answer.text()).toBe('');
  });

  it('refuses other methods', async () => {
    const { url } = await start();
    expect((await fetch(`${url}/metrics`, { method: 'POST' })).status).toBe(405);
  });

  it('listens on every address, IPv4 and IPv6, when it is given only a port', async () => {
    const { url } = await start({ address: ':0' });
    const { port } = new URL(url);
    for (const host of ['127.0.0.1', '[::1]']) {
      expect((await fetch(`http://${host}:${port}/healthz`)).status).toBe(200);
    }
  });

  it('rejects when the address is taken', async () => {
    const { url } = await start();
    await expect(start({ address: `127.0.0.1:${new URL(url).port}` })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  it('is not ready while it drains, closes its connections, and then ends at once', async () => {
    const server = await start();
    await (await fetch(`${server.url}/healthz`)).text();
    server.drain();
    const answer = await fetch(`${server.url}/readyz`);
    expect(answer.status).toBe(503);
    expect(answer.headers.get('connection')).toBe('close');
    await answer.text();
    const startedMs = performance.now();
    await server.close();
    expect(performance.now() - startedMs).toBeLessThan(1000);
  });
});
