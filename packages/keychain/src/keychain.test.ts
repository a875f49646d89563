import { startApiServer, startFaultProxy, type ApiServer, type FaultProxy } from '@buildkeeper/embedded-cluster';
import { createKubeClient, type KubeClient } from '@buildkeeper/kube-client';
import { createSystemClock, failureOf } from '@buildkeeper/retry-policy';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createKeychains } from './keychain.ts';

const account = { namespace: 'team', name: 'writer' };
const repository = { registry: 'reg.example', repository: 'team/app' };
const { signal } = new AbortController();
let api: ApiServer;
let proxy: FaultProxy;
let client: KubeClient;

beforeEach(async () => {
  api = await startApiServer();
  proxy = await startFaultProxy({ targetPort: api.port });
  client = createKubeClient({
    target: {
      server: proxy.url,
      namespace: 'default',
      credentials: () => Promise.resolve({ headers: {}, tls: {} }),
      refresh: () => undefined,
    },
    clock: createSystemClock(),
    random: () => 0.5,
    requestAttempts: 1,
  });
  await api.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
});
afterEach(async () => {
  await client.close();
  await proxy.close();
  await api.close();
});

async function applyAccount(secrets: string[], imagePullSecrets: string[] = []): Promise<void> {
  const named = (names: string[]) => names.map((name) => ({ name }));
  await api.apply({
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: account,
    secrets: named(secrets),
    imagePullSecrets: named(imagePullSecrets),
  });
}

async function applySecret(name: string, secret: { type: string; data: Record<string, string>; annotations?: object }) {
  const { type, annotations = {} } = secret;
  const encoded = Object.entries(secret.data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]);
  const metadata = { name, namespace: account.namespace, annotations };
  await api.apply({ apiVersion: 'v1', kind: 'Secret', metadata, type, data: Object.fromEntries(encoded) as object });
}

function dockerConfig(username: string, registry = 'reg.example') {
  const auths = { [registry]: { username, password: 'hunter2' } };
  return { type: 'kubernetes.io/dockerconfigjson', data: { '.dockerconfigjson': JSON.stringify({ auths }) } };
}

describe('forServiceAccount', () => {
  it('opens a repository with what the account lists', async () => {
    await applySecret('push', dockerConfig('pusher'));
    await applyAccount(['push']);
    const keychain = await createKeychains({ client }).forServiceAccount(account, signal);
    expect(keychain?.credentialFor(repository)).toEqual({ username: 'pusher', password: 'hunter2' });
  });

  it('asks secrets before imagePullSecrets', async () => {
    await applySecret('push', dockerConfig('pusher'));
    await applySecret('pull', dockerConfig('puller'));
    await applyAccount(['push'], ['pull']);
    const keychain = await createKeychains({ client }).forServiceAccount(account, signal);
    expect(keychain?.credentialFor(repository)?.username).toBe('pusher');
  });

  it('reads basic-auth Secrets that name their registry', async () => {
    const type = 'kubernetes.io/basic-auth';
    const data = { username: 'basic', password: 'hunter2' };
    await applySecret('git', { type, data });
    await applySecret('registry', { type, data, annotations: { 'kpack.io/docker': 'https://reg.example/v1/' } });
    await applyAccount(['git', 'registry']);
    const keychain = await createKeychains({ client }).forServiceAccount(account, signal);
    expect(keychain?.credentialFor(repository)).toEqual({ username: 'basic', password: 'hunter2' });
    expect(keychain?.broken).toEqual([]);
  });

  it('names Secrets that do not exist, and does without them', async () => {
    await applySecret('push', dockerConfig('pusher'));
    await applyAccount(['gone', 'push'], ['away']);
    const keychain = await createKeychains({ client }).forServiceAccount(account, signal);
    expect(keychain?.missing).toEqual(['gone', 'away']);
    expect(keychain?.credentialFor(repository)?.username).toBe('pusher');
  });

  it('is undefined for an account that does not exist', async () => {
    expect(await createKeychains({ client }).forServiceAccount(account, signal)).toBeUndefined();
  });

  it('sees a changed Secret at the next call, and not through a keychain made before', async () => {
    await applySecret('push', dockerConfig('old'));
    await applyAccount(['push']);
    const keychains = createKeychains({ client });
    const before = await keychains.forServiceAccount(account, signal);
    await applySecret('push', dockerConfig('new'));
    const after = await keychains.forServiceAccount(account, signal);
    expect([before, after].map((one) => one?.credentialFor(repository)?.username)).toEqual(['old', 'new']);
  });

  it('fails as the API server fails, rather than to go on with half of the Secrets', async () => {
    await applySecret('push', dockerConfig('pusher'));
    await applyAccount(['push']);
    proxy.fault({ path: /secrets\/push/, action: { kind: 'status', status: 503 } });
    const read = createKeychains({ client }).forServiceAccount(account, signal);
    const error: unknown = await read.catch((thrown: unknown) => thrown);
    expect(failureOf(error)).toMatchObject({ class: 'transient', reason: 'KubernetesAPIError' });
  });

  it('lets nothing of a Secret out when it is turned into text', async () => {
    await applySecret('push', dockerConfig('pusher'));
    await applyAccount(['push']);
    const keychain = await createKeychains({ client }).forServiceAccount(account, signal);
    expect(JSON.stringify(keychain)).not.toMatch(/hunter2|pusher/);
  });
});

describe('uses', () => {
  it('follows what the account listed when it was read last', async () => {
    await applyAccount(['push'], ['pull']);
    const keychains = createKeychains({ client });
    // Not read yet: a Secret that is mended after a restart must not be missed.
    expect(keychains.uses(account, 'push')).toBe(true);
    await keychains.forServiceAccount(account, signal);
    expect(['push', 'pull', 'other'].map((name) => keychains.uses(account, name))).toEqual([true, true, false]);
    expect(keychains.uses({ ...account, namespace: 'other' }, 'push')).toBe(true);

    await api.delete('/api/v1/namespaces/team/serviceaccounts/writer');
    await keychains.forServiceAccount(account, signal);
    expect(keychains.uses(account, 'push')).toBe(true);
  });
});
