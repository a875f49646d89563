import { createSystemClock, type Clock } from '@buildkeeper/retry-policy';
import { afterEach, describe, expect, it } from 'vitest';
import type { Credential, Keychain } from './credential.ts';
import { parseReference } from './reference.ts';
import { testImage } from './testing/images.ts';
import { sendJson, startScriptedServer, type ScriptedServer, type Script } from './testing/scripted-server.ts';
import { createTestClient, failureFrom, never, type TestClient } from './testing/test-client.ts';

const image = testImage('app');
const servers: ScriptedServer[] = [];
const clients: TestClient[] = [];

afterEach(async () => {
  await Promise.all(clients.splice(0).map(({ client }) => client.close()));
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

/** A registry that asks for a bearer token, and its token service. */
async function startRegistry(
  giveToken: Script,
  options: { challenge?: (realm: string) => string; accepts?: (token: string) => boolean } = {},
) {
  const auth = await startScriptedServer(giveToken);
  const challenge =
    options.challenge ?? ((realm) => `Bearer realm="${realm}",service="reg",scope="repository:team/app:pull"`);
  const accepts = options.accepts ?? (() => true);
  const registry = await startScriptedServer((request, response) => {
    const [, token] = /^Bearer (.*)$/.exec(request.headers.authorization ?? '') ?? [];
    if (token === undefined || !accepts(token)) {
      const headers = { 'www-authenticate': challenge(`${auth.url}/token`) };
      sendJson(
        response,
        { errors: [{ code: 'UNAUTHORIZED', message: 'authentication required' }] },
        { status: 401, headers },
      );
      return;
    }
    const headers = { 'content-type': image.mediaType, 'docker-content-digest': image.digest };
    response.writeHead(200, { ...headers, 'content-length': image.manifest.length });
    response.end(request.method === 'HEAD' ? undefined : image.manifest);
  });
  servers.push(auth, registry);
  return { auth, registry, reference: parseReference(`${registry.host}/team/app:1`) };
}

function clientOf(options: Parameters<typeof createTestClient>[0] = {}): TestClient {
  const client = createTestClient(options);
  clients.push(client);
  return client;
}

const keychainOf = (credential: Credential | undefined): Keychain => ({ credentialFor: () => credential });
const anonymous = keychainOf(undefined);

describe('the token of a bearer challenge', () => {
  it('is asked for once, with service and scope, and kept with the challenge', async () => {
    const { auth, registry, reference } = await startRegistry((_, response) => {
      sendJson(response, { token: 't1', expires_in: 300 });
    });
    const { client, exchanges } = clientOf();
    for (let turn = 0; turn < 3; turn += 1) await client.headManifest(reference, anonymous, never());
    expect(auth.lines()).toEqual(['GET /token?service=reg&scope=repository%3Ateam%2Fapp%3Apull']);
    expect(auth.requests[0]!.headers.authorization).toBeUndefined();
    expect(registry.requests.map(({ headers }) => headers.authorization)).toEqual([
      undefined,
      ...Array<string>(3).fill('Bearer t1'),
    ]);
    expect(exchanges).toEqual(['manifest 401', 'token 200', 'manifest 200', 'manifest 200', 'manifest 200']);
  });

  it('is shared by all who need it at once', async () => {
    const { auth, reference } = await startRegistry((_, response) => {
      setTimeout(() => {
        sendJson(response, { token: 't1' });
      }, 50);
    });
    const { client } = clientOf();
    await Promise.all(Array.from({ length: 20 }, () => client.headManifest(reference, anonymous, never())));
    expect(auth.requests).toHaveLength(1);
  });

  it('is not shared by different credentials', async () => {
    const { auth, registry, reference } = await startRegistry((request, response) => {
      sendJson(response, { token: request.headers.authorization === undefined ? 'anyone' : 'somebody' });
    });
    const { client } = clientOf();
    await client.headManifest(reference, anonymous, never());
    await client.headManifest(reference, keychainOf({ username: 'u', password: 'p' }), never());
    expect(auth.requests.map(({ headers }) => headers.authorization)).toEqual([undefined, `Basic ${btoa('u:p')}`]);
    expect(registry.requests.at(-1)!.headers.authorization).toBe('Bearer somebody');
  });

  it('is asked for anew when nine tenths of its life are over, and after a minute where none is named', async () => {
    let nowMs = 0;
    const clock: Clock = { ...createSystemClock(), monotonicMs: () => nowMs };
    const lives: object[] = [{ expires_in: 100 }, {}, { expires_in: -1 }];
    const { auth, reference } = await startRegistry((_, response) => {
      sendJson(response, { access_token: 't', ...lives[auth.requests.length - 1] });
    });
    const { client } = clientOf({ clock });
    const tokensAt = async (timeMs: number) => {
      nowMs = timeMs;
      await client.headManifest(reference, anonymous, never());
      return auth.requests.length;
    };
    expect([await tokensAt(0), await tokensAt(89_999), await tokensAt(90_000)]).toEqual([1, 1, 2]);
    expect([await tokensAt(143_999), await tokensAt(144_000), await tokensAt(197_999)]).toEqual([2, 3, 3]);
  });

  it('is renewed once in the same call when the registry no longer takes it', async () => {
    let good = 't1';
    const { auth, reference } = await startRegistry(
      (_, response) => {
        sendJson(response, { token: good });
      },
      { accepts: (token) => token === good },
    );
    const testClient = clientOf();
    const { client, exchanges, retries } = testClient;
    await client.headManifest(reference, anonymous, never());
    testClient.reset();
    good = 't2';
    await client.headManifest(reference, anonymous, never());
    expect(exchanges).toEqual(['manifest 401', 'token 200', 'manifest 200']);
    expect(retries).toEqual([]);
    expect(auth.requests).toHaveLength(2);
  });

  it('is asked for once per call when the registry takes none, and that is a matter of the credential', async () => {
    const { auth, registry, reference } = await startRegistry(
      (_, response) => {
        sendJson(response, { token: `t${auth.requests.length}` });
      },
      { accepts: () => false },
    );
    const { client } = clientOf();
    const keychain = keychainOf({ username: 'u', password: 'p' });
    const failure = await failureFrom(client.headManifest(reference, keychain, never()));
    expect(failure).toMatchObject({
      class: 'auth',
      reason: 'AuthenticationFailed',
      evidence: 'alive',
      httpStatus: 401,
    });
    expect([auth.requests.length, registry.requests.length]).toEqual([1, 2]);
    await failureFrom(client.headManifest(reference, keychain, never()));
    expect([auth.requests.length, registry.requests.length]).toEqual([2, 4]);
  });

  it('covers what the challenge asks for besides, from the second call on without a 401', async () => {
    const { auth, reference, registry } = await startRegistry(
      (request, response) => {
        sendJson(response, { token: request.url.includes('extra') ? 'wide' : 'narrow' });
      },
      {
        challenge: (realm) =>
          `Bearer realm="${realm}",service="reg",scope="repository:team/app:pull repository:extra:pull"`,
        accepts: (token) => token === 'wide',
      },
    );
    const { client } = clientOf();
    for (let turn = 0; turn < 3; turn += 1) await client.headManifest(reference, anonymous, never());
    expect([auth.requests.length, registry.requests.length]).toEqual([1, 4]);
  });

  it('comes for a refresh token by POST', async () => {
    const { auth, reference } = await startRegistry((_, response) => {
      sendJson(response, { access_token: 'fresh' });
    });
    const { client } = clientOf();
    await client.headManifest(reference, keychainOf({ username: '<token>', identityToken: 'idt' }), never());
    expect(auth.lines()).toEqual(['POST /token']);
    expect(Object.fromEntries(new URLSearchParams(auth.requests[0]!.body.toString()))).toEqual({
      grant_type: 'refresh_token',
      refresh_token: 'idt',
      service: 'reg',
      scope: 'repository:team/app:pull',
      client_id: 'buildkeeper',
    });
  });

  it('comes by GET where the token service does not know the POST', async () => {
    const { auth, reference } = await startRegistry((request, response) => {
      if (request.method === 'POST') sendJson(response, {}, { status: 404 });
      else sendJson(response, { token: 't' });
    });
    const { client } = clientOf();
    await client.headManifest(reference, keychainOf({ username: 'u', identityToken: 'idt' }), never());
    expect(auth.requests.map(({ method }) => method)).toEqual(['POST', 'GET']);
    expect(auth.requests[1]!.headers.authorization).toBe(`Basic ${btoa('u:idt')}`);
  });

  it('is the credential itself when that is a bearer token', async () => {
    const { auth, registry, reference } = await startRegistry(() => undefined);
    const { client } = clientOf();
    await client.headManifest(reference, keychainOf({ registryToken: 'ready\n' }), never());
    expect(auth.requests).toHaveLength(0);
    expect(registry.requests.at(-1)!.headers.authorization).toBe('Bearer ready');
  });
});

describe('a failing token service', () => {
  it.each<[string, Script, object, number]>([
    [
      '502',
      (_, response) => response.writeHead(502).end(),
      { class: 'transient', reason: 'TokenServiceUnavailable', evidence: 'overload' },
      3,
    ],
    [
      'a reset',
      (_, response) => response.destroy(),
      { class: 'transient', reason: 'TokenServiceUnavailable', evidence: 'dead' },
      3,
    ],
    [
      'a web page',
      (_, response) => response.end('<html>sign in</html>'),
      { class: 'transient', reason: 'TokenServiceUnavailable' },
      3,
    ],
    [
      'no token',
      (_, response) => {
        sendJson(response, {});
      },
      { class: 'transient', reason: 'TokenServiceUnavailable' },
      3,
    ],
    [
      'a token that is none',
      (_, response) => {
        sendJson(response, { token: 'a\nb' });
      },
      { class: 'transient', reason: 'TokenServiceUnavailable' },
      3,
    ],
    ['401', (_, response) => response.writeHead(401).end(), { class: 'auth', reason: 'AuthenticationFailed' }, 1],
    ['403', (_, response) => response.writeHead(403).end(), { class: 'auth', reason: 'AuthorizationDenied' }, 1],
    [
      '429',
      (_, response) => response.writeHead(429, { 'retry-after': '7' }).end(),
      { class: 'throttled', reason: 'RegistryThrottled', retryAfterMs: 7000 },
      1,
    ],
  ])('with %s is judged as such, keyed to its own host', async (_, script, expected, requestCount) => {
    const { auth, registry, reference } = await startRegistry(script);
    const { client } = clientOf({ headersTimeoutMs: 50 });
    const keychain = keychainOf({ username: 'u', password: 'opensesame' });
    const failure = await failureFrom(client.headManifest(reference, keychain, never()));
    expect(failure).toMatchObject({ ...expected, origin: auth.url });
    expect(failure.message).toMatch(
      new RegExp(`^Cannot read manifest ${registry.host}/team/app:1: token service ${auth.host}: `),
    );
    expect(failure.message).not.toContain('opensesame');
    // A challenge that could not be answered is not remembered: each attempt hears the current one.
    expect([auth.requests.length, registry.requests.length]).toEqual([requestCount, requestCount]);
  });

  it('that cannot be reached is dead, and the registry is not', async () => {
    const { auth, reference } = await startRegistry(() => undefined);
    await auth.close();
    servers.splice(servers.indexOf(auth), 1);
    const { client, retries } = clientOf();
    const failure = await failureFrom(client.headManifest(reference, anonymous, never()));
    expect(failure).toMatchObject({ reason: 'TokenServiceUnavailable', evidence: 'dead', origin: auth.url });
    expect(retries).toEqual(['TokenServiceUnavailable', 'TokenServiceUnavailable']);
  });

  it('comes back within the call', async () => {
    const { auth, reference } = await startRegistry((_, response) => {
      if (auth.requests.length < 3) response.destroy();
      else sendJson(response, { token: 't' });
    });
    const { client } = clientOf();
    await expect(client.headManifest(reference, anonymous, never())).resolves.toMatchObject({ digest: image.digest });
  });

  it('at plain HTTP is not given the credential of a registry with TLS, unless it is listed', async () => {
    const { auth, reference } = await startRegistry(() => undefined, {
      challenge: () => 'Bearer realm="http://elsewhere.invalid/token",service="reg"',
    });
    const { client } = clientOf();
    const failure = await failureFrom(client.headManifest(reference, anonymous, never()));
    expect(failure.message).toContain('sent on to plain HTTP at elsewhere.invalid, which is not permitted');
    expect(failure).toMatchObject({ class: 'transient', reason: 'TLSVerificationFailed' });
    expect(auth.requests).toHaveLength(0);
  });
});

describe('a caller that is stopped while waiting for a token', () => {
  it('leaves at once, and the others get theirs', async () => {
    let answer: () => void = () => undefined;
    const { auth, reference } = await startRegistry((_, response) => {
      answer = () => {
        sendJson(response, { token: 't' });
      };
    });
    const { client } = clientOf({ headersTimeoutMs: 2000 });
    const stop = new AbortController();
    const leaving = failureFrom(client.headManifest(reference, anonymous, stop.signal));
    const staying = client.headManifest(reference, anonymous, never());
    await expect.poll(() => auth.requests.length).toBe(1);
    stop.abort(new Error('shutdown'));
    expect(await leaving).toMatchObject({ class: 'aborted' });
    answer();
    await expect(staying).resolves.toMatchObject({ digest: image.digest });
  });
});
