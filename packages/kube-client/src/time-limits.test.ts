import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { failureOf } from '@buildkeeper/retry-policy';
import { describe, expect, it } from 'vitest';
import type { KubeTimeouts } from './pooled-kube-client.ts';
import { quickClient } from './testing/rig.ts';
import { type Script, ScriptServer, widgetResource } from './testing/script-server.ts';

/** What becomes of a call with these limits to a server at that address. */
async function failureAt(url: string, timeouts: Partial<KubeTimeouts>, codes: string[] = []) {
  const observer = {
    requestFinished: ({ code }: { code: string }) => codes.push(code),
    watchEvent: () => undefined,
    watchRestarted: () => undefined,
  };
  const client = quickClient(url, { timeouts, observer });
  const call = client.get(widgetResource, { namespace: 'team', name: 'w1' }, new AbortController().signal);
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  await client.close();
  return failureOf(error);
}

async function failureOfScript(script: Script, timeouts: Partial<KubeTimeouts>, codes: string[] = []) {
  const server = await new ScriptServer().start();
  server.scripts.other.push(script);
  const failure = await failureAt(server.url, timeouts, codes);
  await server.close();
  return failure;
}

// Together, because undici's own timers take a second at least.
describe.concurrent('a time limit', () => {
  it('ends a call that waits for its turn or its answer too long', async () => {
    const codes: string[] = [];
    const failure = await failureOfScript(() => undefined, { totalMs: 40 }, codes);
    expect(codes).toEqual(['<error>']);
    expect(failure).toMatchObject({ class: 'transient', evidence: 'overload', inRequestRetry: 'never' });
    expect(failure?.message).toBe('Cannot get example.org/v1 widgets team/w1: the time of a call ran out');
  });

  it('ends a call whose body trickles for ever', async () => {
    const trickle: Script = (response) => {
      const timer = setInterval(() => response.write(' '), 10);
      response.on('close', () => {
        clearInterval(timer);
      });
    };
    const failure = await failureOfScript(trickle, { totalMs: 80 });
    expect(failure?.message).toContain('the time of a call ran out');
  });

  it('ends a call when no head comes', async () => {
    const failure = await failureOfScript(() => undefined, { headersMs: 50 });
    expect(failure).toMatchObject({ class: 'transient', evidence: 'overload' });
    expect(failure?.message).toContain('UND_ERR_HEADERS_TIMEOUT');
  });

  it('ends a call when its body stalls', async () => {
    const stall: Script = (response) => {
      response.writeHead(200);
      response.write('{"metadata":');
    };
    const failure = await failureOfScript(stall, { bodyMs: 50 });
    expect(failure).toMatchObject({ class: 'transient', evidence: 'overload' });
    expect(failure?.message).toContain('UND_ERR_BODY_TIMEOUT');
  });

  it('ends a TLS handshake that nobody answers', async () => {
    const sockets = new Set<Socket>();
    const silent = createServer((socket) => sockets.add(socket));
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const failure = await failureAt(`https://127.0.0.1:${port}`, { connectMs: 50 });
    expect(failure).toMatchObject({ class: 'transient', evidence: 'dead' });
    expect(failure?.message).toContain('UND_ERR_CONNECT_TIMEOUT');
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
});
