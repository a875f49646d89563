import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type ApiServer, startApiServer } from './api-server.ts';
import { widget, widgetDefinition, widgetsPath } from './testing/widget-definition.ts';

const isOnPath = (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, 'kubectl')));
// Without kubectl the tests are skipped on a desk, and fail in CI, where it has to be.
const isSkipped = !isOnPath && !process.env['CI'];
const run = promisify(execFile);

describe.skipIf(isSkipped)('real kubectl', { timeout: 30_000 }, () => {
  let server: ApiServer;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kubectl-test-'));
    server = await startApiServer({ crds: [widgetDefinition()] });
    writeFileSync(join(folder, 'config'), server.kubeconfig());
  });
  afterAll(async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  });

  const kubectl = async (...args: string[]) => {
    const { stdout } = await run(
      'kubectl',
      ['--kubeconfig', join(folder, 'config'), '--cache-dir', join(folder, 'cache'), ...args],
      {
        env: { ...process.env, KUBE_EDITOR: `sed -i s/size:.*/size:\\ 9/` },
      },
    );
    return stdout.trim();
  };
  const file = (name: string, object: object) => {
    const path = join(folder, name);
    writeFileSync(path, JSON.stringify(object));
    return path;
  };
  const table = (text: string) => text.split('\n').map((line) => line.trim().split(/\s{2,}/));

  it('applies: creates, finds unchanged, changes', async () => {
    const path = file('applied.json', widget('applied'));
    expect(await kubectl('apply', '-f', path)).toBe('widget.example.test/applied created');
    expect(await kubectl('apply', '-f', path)).toBe('widget.example.test/applied unchanged');
    file('applied.json', widget('applied', { size: 2 }));
    expect(await kubectl('apply', '-f', path)).toBe('widget.example.test/applied configured');
    expect(await server.get(`${widgetsPath}/applied`)).toMatchObject({
      spec: { size: 2 },
      metadata: { generation: 2 },
    });
  });

  it('shows why an object is refused: a misspelt field, a wrong value', async () => {
    const misspelt = kubectl('apply', '-f', file('misspelt.json', widget('misspelt', { size: 1, sise: 2 })));
    await expect(misspelt).rejects.toThrow('unknown field "spec.sise"');
    const wrong = kubectl('apply', '-f', file('wrong.json', widget('wrong', { size: 'big' })));
    await expect(wrong).rejects.toThrow(
      'spec.size: Invalid value: "string": spec.size in body must be of type integer',
    );
  });

  it('applies on the server, and tells of conflicts', async () => {
    const apply = (size: number, ...args: string[]) =>
      kubectl('apply', '--server-side', ...args, '-f', file('ssa.json', widget('ssa', { size })));
    expect(await apply(1)).toBe('widget.example.test/ssa serverside-applied');
    await expect(apply(2, '--field-manager=other')).rejects.toThrow('conflict with "kubectl": .spec.size');
    expect(await apply(2, '--field-manager=other', '--force-conflicts')).toBe(
      'widget.example.test/ssa serverside-applied',
    );
  });

  it('gets columns, and more of them with -o wide', async () => {
    await server.apply(widget('shown'));
    await server.patch(`${widgetsPath}/shown/status`, { status: { conditions: [{ type: 'Ready', status: 'True' }] } });
    expect(table(await kubectl('get', 'widget', 'shown'))).toEqual([
      ['NAME', 'READY', 'SEEN'],
      ['shown', 'True'],
    ]);
    expect(table(await kubectl('get', 'wd', 'shown', '-o', 'wide'))[0]).toEqual(['NAME', 'READY', 'SEEN', 'COLOR']);
    expect(await kubectl('get', 'things', '-o', 'name')).toContain('widget.example.test/shown');
    expect(await kubectl('get', 'widgets', 'shown', '-o', 'jsonpath={.spec.color}')).toBe('red');
  });

  it('describes an object with its events', async () => {
    const { metadata } = await server.apply(widget('described'));
    await server.apply({
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: 'described.1', namespace: 'default' },
      eventTime: '2026-01-02T03:04:05.000000Z',
      reportingController: 'example.test/c',
      reportingInstance: 'c-1',
      action: 'Reconcile',
      reason: 'Recovered',
      type: 'Normal',
      note: 'well again',
      regarding: {
        apiVersion: 'example.test/v1',
        kind: 'Widget',
        namespace: 'default',
        name: 'described',
        uid: metadata.uid,
      },
    });
    const text = await kubectl('describe', 'widget', 'described');
    expect(text).toMatch(/Kind:\s+Widget/);
    expect(text).toMatch(/Normal\s+Recovered\s+\S+\s+example\.test\/c\s+well again/);
    expect(await kubectl('get', 'events')).toMatch(/Normal\s+Recovered\s+widget\/described\s+well again/);
  });

  it('annotates, labels, patches and edits', async () => {
    const path = `${widgetsPath}/changed`;
    await server.apply(widget('changed'));
    await kubectl('annotate', 'widget', 'changed', 'example.test/asked=now');
    await kubectl('label', 'widget', 'changed', 'a=b');
    expect(await server.get(path)).toMatchObject({
      metadata: { annotations: { 'example.test/asked': 'now' }, labels: { a: 'b' }, generation: 1 },
    });
    await kubectl('patch', 'widget', 'changed', '--type', 'merge', '-p', '{"spec":{"size":5}}');
    expect(await server.get(path)).toMatchObject({ spec: { size: 5 } });
    await kubectl(
      'patch',
      'widget',
      'changed',
      '--type',
      'json',
      '-p',
      '[{"op":"replace","path":"/spec/size","value":6}]',
    );
    expect(await server.get(path)).toMatchObject({ spec: { size: 6 } });
    await kubectl('edit', 'widget', 'changed');
    expect(await server.get(path)).toMatchObject({ spec: { size: 9 } });
  });

  it('waits for a condition', async () => {
    await server.apply(widget('awaited'));
    const isWatched = () =>
      server.requests.some(({ query }) => query.includes('watch=true') && query.includes('awaited'));
    const meetOnceWatched = async () => {
      await vi.waitUntil(isWatched, { timeout: 20_000 });
      await server.patch(`${widgetsPath}/awaited/status`, {
        status: { conditions: [{ type: 'Ready', status: 'True' }] },
      });
    };
    const waiting = kubectl('wait', '--for=condition=Ready', 'widget/awaited', '--timeout=20s');
    const [text] = await Promise.all([waiting, meetOnceWatched()]);
    expect(text).toBe('widget.example.test/awaited condition met');
    expect(await kubectl('wait', '--for=condition=Established', 'crd/widgets.example.test')).toContain('condition met');
  });

  it('explains a kind from its schema', async () => {
    const text = await kubectl('explain', 'widget.spec');
    expect(text).toMatch(/size\s+<integer> -required-\s+How large it is\./);
    expect(await kubectl('explain', 'secret')).toContain('stringData');
  });

  it('creates what it sends as protobuf: namespaces, Secrets, ServiceAccounts, ConfigMaps', async () => {
    await kubectl('create', 'namespace', 'made');
    const registry = ['--docker-server=127.0.0.1:5000', '--docker-username=u', '--docker-password=p'];
    await kubectl('create', 'secret', 'docker-registry', 'login', '-n', 'made', ...registry);
    await kubectl('create', 'serviceaccount', 'robot', '-n', 'made');
    await kubectl('create', 'configmap', 'settings', '-n', 'made', '--from-literal=a=b');
    expect(await server.get('/api/v1/namespaces/made/secrets/login')).toMatchObject({
      type: 'kubernetes.io/dockerconfigjson',
    });
    expect(await server.get('/api/v1/namespaces/made/configmaps/settings')).toMatchObject({ data: { a: 'b' } });
    await kubectl('patch', 'serviceaccount', 'robot', '-n', 'made', '-p', '{"imagePullSecrets":[{"name":"login"}]}');
    const account = await server.get('/api/v1/namespaces/made/serviceaccounts/robot');
    expect(account['imagePullSecrets']).toEqual([{ name: 'login' }]);
    expect(await kubectl('delete', 'namespace', 'made')).toContain('deleted');
  });

  it('deletes and waits until the object is gone', async () => {
    await server.apply(widget('doomed', { size: 1 }, { finalizers: ['example.test/hold'] }));
    const isMarked = async () => (await server.get(`${widgetsPath}/doomed`)).metadata.deletionTimestamp !== undefined;
    const releaseOnceMarked = async () => {
      await vi.waitUntil(isMarked, { timeout: 20_000 });
      await server.patch(`${widgetsPath}/doomed`, { metadata: { finalizers: null } });
    };
    const [text] = await Promise.all([kubectl('delete', 'widget', 'doomed'), releaseOnceMarked()]);
    expect(text).toBe('widget.example.test "doomed" deleted');
    await expect(kubectl('get', 'widget', 'doomed')).rejects.toThrow('widgets.example.test "doomed" not found');
  });

  it('says politely what is not there', async () => {
    await expect(kubectl('logs', 'x')).rejects.toThrow(`the server doesn't have a resource type "pods"`);
    await expect(kubectl('get', 'gadgets')).rejects.toThrow(`the server doesn't have a resource type "gadgets"`);
  });
});
