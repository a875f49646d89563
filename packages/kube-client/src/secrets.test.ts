import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KubeClient } from './kube-client.ts';
import { readSecret, readServiceAccount } from './secrets.ts';
import { quickClient } from './testing/rig.ts';
import { refuse, ScriptServer, sendJson } from './testing/script-server.ts';

const name = { namespace: 'team', name: 'one' };
const { signal } = new AbortController();

let server: ScriptServer;
let client: KubeClient;
beforeEach(async () => {
  server = await new ScriptServer().start();
  client = quickClient(server.url);
});
afterEach(async () => {
  await client.close();
  await server.close();
});

const answer = (body: object) =>
  server.scripts.other.push((response) => {
    sendJson(response, 200, { metadata: { name: 'one' }, ...body });
  });

describe('readSecret', () => {
  it('decodes the data, byte for byte', async () => {
    const data = { '.dockerconfigjson': Buffer.from('{"auths":{}}').toString('base64'), raw: '/wD+' };
    answer({ type: 'kubernetes.io/dockerconfigjson', data });
    const secret = await readSecret(client, name, signal);
    expect(secret).toMatchObject({ name: 'one', type: 'kubernetes.io/dockerconfigjson' });
    expect(Buffer.from(secret!.data['.dockerconfigjson']!).toString()).toBe('{"auths":{}}');
    expect([...secret!.data['raw']!]).toEqual([255, 0, 254]);
    expect(server.seen[0]?.url.pathname).toBe('/api/v1/namespaces/team/secrets/one');
  });

  it('reads one without data, and one without a type', async () => {
    answer({});
    expect(await readSecret(client, name, signal)).toEqual({ name: 'one', type: 'Opaque', data: {} });
  });

  it('answers undefined for one that does not exist, and throws everything else', async () => {
    server.scripts.other.push(refuse(404, 'NotFound'), refuse(403, 'Forbidden'));
    expect(await readSecret(client, name, signal)).toBeUndefined();
    await expect(readSecret(client, name, signal)).rejects.toMatchObject({ failure: { class: 'auth' } });
  });
});

describe('readServiceAccount', () => {
  it('names the Secrets it lists', async () => {
    answer({ secrets: [{ name: 'a' }, {}, { name: 'b' }], imagePullSecrets: [{ name: 'c' }] });
    expect(await readServiceAccount(client, name, signal)).toEqual({ secrets: ['a', 'b'], imagePullSecrets: ['c'] });
    expect(server.seen[0]?.url.pathname).toBe('/api/v1/namespaces/team/serviceaccounts/one');
  });

  it('reads one that lists none, and answers undefined for one that does not exist', async () => {
    answer({});
    expect(await readServiceAccount(client, name, signal)).toEqual({ secrets: [], imagePullSecrets: [] });
    server.scripts.other.push(refuse(404, 'NotFound'));
    expect(await readServiceAccount(client, name, signal)).toBeUndefined();
  });
});
