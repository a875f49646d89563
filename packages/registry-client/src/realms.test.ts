import { afterEach, describe, expect, it } from 'vitest';
import { anonymousKeychain } from './credential.ts';
import { parseReference } from './reference.ts';
import { testImage } from './testing/images.ts';
import { sendJson, startScriptedServer, type Script, type ScriptedServer } from './testing/scripted-server.ts';
import { createTestClient, failureFrom, never, type TestClient } from './testing/test-client.ts';

const image = testImage('app');
const servers: ScriptedServer[] = [];
const clients: TestClient[] = [];

afterEach(async () => {
  await Promise.all(clients.splice(0).map(({ client }) => client.close()));
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

/** What the registry demands at the moment; a realm of undefined means that it is open to everybody. */
interface Demand {
  realm: string | undefined;
  scope?: string;
  token?: string;
}

/** A registry whose demand can be changed, and a client of it that tries `requestAttempts` times in a call. */
async function startRegistry(demand: Demand, requestAttempts: number) {
  const registry = await start((request, response) => {
    const { realm, scope = 'repository:team/app:pull', token = 't' } = demand;
    if (realm !== undefined && request.headers.authorization !== `Bearer ${token}`) {
      const challenge = `Bearer realm="${realm}",service="reg",scope="${scope}"`;
      response.writeHead(401, { 'www-authenticate': challenge }).end();
      return;
    }
    const headers = { 'content-type': image.mediaType, 'docker-content-digest': image.digest };
    response.writeHead(200, { ...headers, 'content-length': image.manifest.length });
    response.end(request.method === 'HEAD' ? undefined : image.manifest);
  });
  const testClient = createTestClient({ requestAttempts });
  clients.push(testClient);
  const reference = parseReference(`${registry.host}/team/app:1`);
  const head = () => testClient.client.headManifest(reference, anonymousKeychain, never());
  return { registry, testClient, head };
}

async function start(script: Script): Promise<ScriptedServer> {
  const server = await startScriptedServer(script);
  servers.push(server);
  return server;
}

const giveToken: Script = (_, response) => {
  // Used up at once, so that each call asks for another.
  sendJson(response, { token: 't', expires_in: 0.001 });
};

const closedPort = 'http://127.0.0.1:9/token';

describe('a token realm that is wrong', () => {
  describe.each([1, 3])('with %i attempts in a call', (attempts) => {
    it.each([
      ['that nobody listens at', closedPort],
      ['that is no address', 'http://['],
      ['that may not be used', 'http://elsewhere.invalid/token'],
    ])('and %s is forgotten: the open registry is read by the next call', async (_, realm) => {
      const demand: Demand = { realm };
      const { testClient, head } = await startRegistry(demand, attempts);
      await failureFrom(head());
      await failureFrom(head());
      demand.realm = undefined;
      testClient.reset();
      await expect(head()).resolves.toMatchObject({ digest: image.digest });
      expect(testClient.exchanges).toEqual(['manifest 200']);
    });

    it('is replaced by the one that the registry names now', async () => {
      const auth = await start(giveToken);
      const demand: Demand = { realm: closedPort };
      const { head } = await startRegistry(demand, attempts);
      await failureFrom(head());
      demand.realm = `${auth.url}/token`;
      await expect(head()).resolves.toMatchObject({ digest: image.digest });
    });

    it('is asked for anew when it has been good before', async () => {
      const [first, second] = [await start(giveToken), await start(giveToken)];
      const demand: Demand = { realm: `${first.url}/token` };
      const { head } = await startRegistry(demand, attempts);
      await head();
      await first.close();
      servers.splice(servers.indexOf(first), 1);
      demand.realm = `${second.url}/token`;
      // The attempt that finds the old service dead; a second one in the same call is right already.
      if (attempts === 1) await failureFrom(head());
      await expect(head()).resolves.toMatchObject({ digest: image.digest });
    });
  });
});

describe('a wider scope that the token service no longer gives', () => {
  it('is forgotten with the challenge', async () => {
    let isRefusing = false;
    const auth = await start((request, response) => {
      if (isRefusing && request.url.includes('extra')) response.writeHead(403).end();
      else giveToken(request, response);
    });
    const demand: Demand = {
      realm: `${auth.url}/token`,
      scope: 'repository:team/app:pull repository:extra:pull',
    };
    const { head } = await startRegistry(demand, 1);
    await head();
    isRefusing = true;
    delete demand.scope;
    await failureFrom(head());
    await expect(head()).resolves.toMatchObject({ digest: image.digest });
  });
});

describe('a token service that is down for a while', () => {
  it('costs one 401 for each attempt at most, and none once it is back', async () => {
    let isDown = false;
    const auth = await start((request, response) => {
      if (isDown) response.destroy();
      else giveToken(request, response);
    });
    const { testClient, head } = await startRegistry({ realm: `${auth.url}/token` }, 3);
    await head();
    isDown = true;
    testClient.reset();
    await failureFrom(head());
    await failureFrom(head());
    const down = ['manifest 401', 'token <error>'];
    expect(testClient.exchanges).toEqual(['token <error>', ...Array.from({ length: 5 }, () => down).flat()]);
    isDown = false;
    testClient.reset();
    await head();
    await head();
    expect(testClient.exchanges).toEqual(['manifest 401', 'token 200', 'manifest 200', 'token 200', 'manifest 200']);
  });

  it('is asked at once again when it was only the caller who stopped', async () => {
    let isSilent = false;
    const auth = await start((request, response) => {
      if (!isSilent) giveToken(request, response);
    });
    const { registry, testClient, head } = await startRegistry({ realm: `${auth.url}/token` }, 1);
    await head();
    isSilent = true;
    const stop = new AbortController();
    const reference = parseReference(`${registry.host}/team/app:1`);
    const leaving = failureFrom(testClient.client.headManifest(reference, anonymousKeychain, stop.signal));
    await expect.poll(() => auth.requests.length).toBe(2);
    stop.abort(new Error('shutdown'));
    expect(await leaving).toMatchObject({ class: 'aborted' });
    isSilent = false;
    testClient.reset();
    await head();
    expect(testClient.exchanges).toEqual(['token 200', 'manifest 200']);
  });
});
