import { chmod, mkdtemp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createReflector, type KubeTargetOptions, loadKubeTarget, objectKey } from './index.ts';
import { certificates } from './testing/certificates.ts';
import { quickClient } from './testing/rig.ts';
import { refuse, type Script, ScriptServer, type Widget, widgetResource } from './testing/script-server.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kube-target-'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

interface Part {
  readonly server?: string;
  readonly cluster?: object;
  readonly user?: object;
  readonly context?: string;
  readonly namespace?: string;
}

async function writeConfig(part: Part = {}, file = 'config'): Promise<string> {
  const { server = 'http://127.0.0.1:1', context = 'main' } = part;
  const path = join(folder, file);
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: `${context}-cluster`, cluster: { server, ...part.cluster } }],
    users: [{ name: `${context}-user`, user: part.user ?? {} }],
    contexts: [
      {
        name: context,
        context: { cluster: `${context}-cluster`, user: `${context}-user`, namespace: part.namespace },
      },
    ],
    'current-context': context,
  };
  await writeFile(path, JSON.stringify(config));
  return path;
}

const { signal } = new AbortController();
const load = (options: Partial<KubeTargetOptions>) => loadKubeTarget({ env: {}, ...options });
const headersFor = async (user: object) =>
  (await load({ kubeconfig: await writeConfig({ user }) }).credentials(signal)).headers;

describe('where the cluster is', () => {
  it('stands in the kubeconfig that is given', async () => {
    const kubeconfig = await writeConfig({ server: 'https://api.test:6443/', namespace: 'team' });
    const target = load({ kubeconfig, env: { KUBECONFIG: '/nowhere' } });
    expect(target).toMatchObject({ server: 'https://api.test:6443', namespace: 'team' });
  });

  it('stands in the files of KUBECONFIG, of which the first to name something decides', async () => {
    const one = await writeConfig({ server: 'https://one.test', context: 'one' }, 'one');
    const again = await writeConfig({ server: 'https://wrong.test', context: 'one' }, 'again');
    const two = await writeConfig({ server: 'https://two.test', context: 'two' }, 'two');
    const env = { KUBECONFIG: [one, again, '', two].join(delimiter) };
    expect(load({ env }).server).toBe('https://one.test');
    expect(load({ env: { KUBECONFIG: [join(folder, 'missing'), two].join(delimiter) } }).server).toBe(
      'https://two.test',
    );
    expect(load({ env: { KUBECONFIG: two }, kubeconfig: '' }).server).toBe('https://two.test');
    expect(load({ env, context: 'two' })).toMatchObject({ server: 'https://two.test', namespace: 'default' });
  });

  it.each([
    ['a context that is not there', 'other', /no context other .* it has: main/],
    ['no context at all', '', /no context/],
  ])('is told for a person when there is %s', async (_, context, message) => {
    const kubeconfig = await writeConfig();
    expect(() => load({ kubeconfig, context })).toThrow(message);
  });

  it('is told for a person when the file cannot be read or makes no sense', async () => {
    await writeFile(join(folder, 'empty'), '');
    for (const file of ['missing', 'empty']) {
      expect(() => load({ kubeconfig: join(folder, file) })).toThrow(
        `Cannot read the kubeconfig ${join(folder, file)}`,
      );
    }
  });

  it('is told for a person when there is neither', () => {
    expect(() => load({})).toThrow('give a kubeconfig, set KUBECONFIG, or run in a cluster');
  });

  it('may be behind a proxy', async () => {
    const kubeconfig = await writeConfig({ cluster: { 'proxy-url': 'http://proxy.test:3128' } });
    expect(load({ kubeconfig }).proxyUrl).toBe('http://proxy.test:3128');
  });
});

describe('credentials', () => {
  it.each([
    ['a token', { token: 'abc' }, { authorization: 'Bearer abc' }],
    ['a token with a line feed', { token: 'abc\n' }, { authorization: 'Bearer abc' }],
    ['a password', { username: 'me', password: 'pw' }, { authorization: 'Basic bWU6cHc=' }],
    ['nothing', {}, {}],
    ['an impersonation', { as: 'boss' }, { 'impersonate-user': 'boss' }],
  ])('are headers made of %s', async (_, user, headers) => {
    expect(await headersFor(user)).toEqual(headers);
  });

  it('are TLS material', async () => {
    const base64 = (text: string) => Buffer.from(text).toString('base64');
    const kubeconfig = await writeConfig({
      server: 'https://api.test',
      cluster: { 'certificate-authority-data': base64('ca'), 'tls-server-name': 'inner.test' },
      user: { 'client-certificate-data': base64('cert'), 'client-key-data': base64('key') },
    });
    expect((await load({ kubeconfig }).credentials(signal)).tls).toEqual({
      ca: Buffer.from('ca'),
      cert: Buffer.from('cert'),
      key: Buffer.from('key'),
      servername: 'inner.test',
    });
  });

  it('come from an exec plugin, started once for a burst and once more after a refusal', async () => {
    const plugin = join(folder, 'plugin');
    const runs = join(folder, 'runs');
    await writeFile(
      plugin,
      `#!/bin/sh\necho run >> ${runs}\necho "{\\"status\\":{\\"token\\":\\"t$(grep -c run ${runs})\\"}}"\n`,
    );
    await chmod(plugin, 0o700);
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: plugin };
    const target = load({ kubeconfig: await writeConfig({ user: { exec } }) });
    const all = await Promise.all(Array.from({ length: 10 }, () => target.credentials(signal)));
    expect(new Set(all.map((one) => one.headers['authorization']))).toEqual(new Set(['Bearer t1']));
    target.refresh(all[0]!);
    // A second refusal of what is old already is no news.
    target.refresh(all[1]!);
    expect((await target.credentials(signal)).headers).toEqual({ authorization: 'Bearer t2' });
    target.refresh(all[2]!);
    expect((await target.credentials(signal)).headers).toEqual({ authorization: 'Bearer t2' });
    expect(await readFile(runs, 'utf8')).toBe('run\nrun\n');
  });

  it('are not waited for longer than the caller wants, and a plugin that hangs is started again', async () => {
    const plugin = join(folder, 'plugin');
    const started = join(folder, 'started');
    const token = '{"status":{"token":"late but good"}}';
    // Hangs the first time; the time is longer than any test and ends by itself.
    const script = `#!/bin/sh\n[ -e ${started} ] || { touch ${started}; exec sleep 3; }\necho '${token}'\n`;
    await writeFile(plugin, script);
    await chmod(plugin, 0o700);
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: plugin };
    const target = load({ kubeconfig: await writeConfig({ user: { exec } }) });
    const client = quickClient(target.server, { target, timeouts: { totalMs: 200 } });
    const get = client.get(widgetResource, { namespace: 'team', name: 'w1' }, signal);
    await expect(get).rejects.toMatchObject({
      message: 'Cannot get example.org/v1 widgets team/w1: the time of a call ran out',
      failure: { class: 'transient' },
    });
    expect((await target.credentials(signal)).headers).toEqual({ authorization: 'Bearer late but good' });
    await expect(target.credentials(AbortSignal.abort(new Error('stop')))).rejects.toThrow('stop');
    await client.close();
  });

  it('follow a token file that the kubeconfig names', async () => {
    await writeFile(join(folder, 'token'), 'first\n');
    const target = load({ kubeconfig: await writeConfig({ user: { tokenFile: 'token', token: 'older' } }) });
    const refused = await target.credentials(signal);
    expect(refused.headers).toEqual({ authorization: 'Bearer first' });
    await writeFile(join(folder, 'token'), 'second\n');
    target.refresh(refused);
    expect((await target.credentials(signal)).headers).toEqual({ authorization: 'Bearer second' });
  });

  it('that an exec plugin cannot give are a failure that repeats no word of it', async () => {
    const plugin = join(folder, 'plugin');
    await writeFile(plugin, '#!/bin/sh\necho "password hunter2 refused" >&2\nexit 1\n');
    await chmod(plugin, 0o700);
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: plugin };
    const target = load({ kubeconfig: await writeConfig({ user: { exec } }) });
    const client = quickClient(target.server, { target });
    const error: unknown = await client
      .get(widgetResource, { namespace: 'team', name: 'w1' }, new AbortController().signal)
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ failure: { class: 'auth', scope: 'local' } });
    expect(JSON.stringify(error) + String(error)).not.toContain('hunter2');
    await client.close();
  });

  it('do not follow a kubeconfig that has come to mean another server', async () => {
    const kubeconfig = await writeConfig({ server: 'http://one.test', user: { token: 'one' } });
    const target = load({ kubeconfig });
    const refused = await target.credentials(signal);
    await writeConfig({ server: 'http://two.test', user: { token: 'two' } });
    target.refresh(refused);
    expect(target.server).toBe('http://one.test');
    expect((await target.credentials(signal)).headers).toEqual({ authorization: 'Bearer one' });
  });

  it('are those of the context that was chosen, though the current one has changed', async () => {
    const one = await writeConfig({ context: 'one', user: { token: 'one' } }, 'one');
    const two = await writeConfig({ context: 'two', user: { token: 'two' } }, 'two');
    const target = load({ env: { KUBECONFIG: [one, two].join(delimiter) } });
    const refused = await target.credentials(signal);
    await writeFile(one, (await readFile(one, 'utf8')).replace('"current-context":"one"', '"current-context":"two"'));
    target.refresh(refused);
    expect((await target.credentials(signal)).headers).toEqual({ authorization: 'Bearer one' });
  });
});

describe('in a pod', () => {
  const mounted = '/var/run/secrets/kubernetes.io/serviceaccount';

  it('talks TLS with the mounted CA and token, and reads a token again that was replaced', async () => {
    const server = await new ScriptServer(certificates.server).start();
    server.write('w1', 1);
    await mkdir(join(folder, mounted), { recursive: true });
    await writeFile(join(folder, mounted, 'ca.crt'), certificates.ca);
    await writeFile(join(folder, mounted, 'token'), 'first\n');
    await writeFile(join(folder, mounted, 'namespace'), 'buildkeeper\n');
    vi.stubEnv('KUBERNETES_SERVICE_HOST', '127.0.0.1');
    vi.stubEnv('KUBERNETES_SERVICE_PORT', `${server.port}`);

    const target = load({ env: process.env, podFilesRoot: folder });
    expect(target).toMatchObject({ server: server.url, namespace: 'buildkeeper' });
    const client = quickClient(target.server, { target });
    const wantsSecond: Script = (response, seen) => {
      if (seen.headers.authorization === 'Bearer second') response.end('{}');
      else refuse(401, 'Unauthorized')(response, seen);
    };
    const get = () => client.get(widgetResource, { namespace: 'team', name: 'w1' }, new AbortController().signal);
    await get();
    expect(server.seen.at(-1)?.headers.authorization).toBe('Bearer first');
    await writeFile(join(folder, mounted, 'token'), 'second\n');
    server.scripts.other.push(wantsSecond, wantsSecond);
    await get();
    expect(server.seen.at(-1)?.headers.authorization).toBe('Bearer second');
    await client.close();
    await server.close();
  });
});

it('does what the README shows, on a server without TLS', async () => {
  const server = await new ScriptServer().start();
  server.write('small', 1);
  server.write('large', 9);
  const stop = new AbortController();
  const target = load({ kubeconfig: await writeConfig({ server: server.url }) });
  const client = quickClient(target.server, { target });
  const queue = new Set<string>();
  const reflector = createReflector<Widget>({
    client,
    resource: widgetResource,
    clock: { nowMs: () => 0, monotonicMs: () => 0, sleep: () => new Promise(() => undefined) },
    random: () => 0,
    indexers: { bySize: (widget) => [`${widget.spec.size}`] },
    onChange: (change) => queue.add(objectKey(change.object)),
  });
  const ended = reflector.run(stop.signal);
  await reflector.synced;
  expect(reflector.store.byIndex('bySize', '9').map((one) => objectKey(one))).toEqual(['team/large']);
  expect([...queue]).toEqual(['team/small', 'team/large']);
  stop.abort(new Error('stop'));
  await ended;
  await client.close();
  await server.close();
});
