import { afterEach, beforeEach, expect, it } from 'vitest';
import type { KubeClient } from './kube-client.ts';
import { createLeaseClient, type Lease } from './lease.ts';
import { microTime } from './micro-time.ts';
import { quickClient } from './testing/rig.ts';
import { refuse, ScriptServer, sendJson } from './testing/script-server.ts';

const name = { namespace: 'system', name: 'buildkeeper-builder' };
const { signal } = new AbortController();
const spec = { holderIdentity: 'me', leaseDurationSeconds: 15, renewTime: microTime(Date.UTC(2026, 0, 1, 0, 0, 0, 7)) };
const held: Lease & { readonly extra: string } = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { ...name, uid: 'u', resourceVersion: '7' },
  spec: { holderIdentity: 'other', leaseTransitions: 3 },
  extra: 'of a newer server',
};

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
const echo = () =>
  server.scripts.other.push((response, { body }) => {
    sendJson(response, 200, JSON.parse(body));
  });

it('answers undefined for a Lease that does not exist', async () => {
  server.scripts.other.push(refuse(404, 'NotFound'));
  expect(await createLeaseClient(client, name).get(signal)).toBeUndefined();
  expect(server.seen[0]?.url.pathname).toBe(
    '/apis/coordination.k8s.io/v1/namespaces/system/leases/buildkeeper-builder',
  );
});

it('creates one', async () => {
  echo();
  expect(await createLeaseClient(client, name).create(spec, signal)).toEqual({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: name,
    spec,
  });
});

it('writes over the one that was read, with its version and with fields it does not know', async () => {
  echo();
  await createLeaseClient(client, name).replace(held, spec, signal);
  expect(JSON.parse(server.seen[0]!.body)).toEqual({ ...held, spec });
  expect(server.seen[0]?.method).toBe('PUT');
});

it('loses a race as a conflict', async () => {
  server.scripts.other.push(refuse(409, 'Conflict'), refuse(409, 'AlreadyExists'));
  const lease = createLeaseClient(client, name);
  await expect(lease.replace(held, spec, signal)).rejects.toMatchObject({ failure: { class: 'conflict' } });
  await expect(lease.create(spec, signal)).rejects.toMatchObject({ failure: { class: 'conflict' } });
});

it('writes times with six digits', () => {
  expect(spec.renewTime).toBe('2026-01-01T00:00:00.007000Z');
  expect(Date.parse(spec.renewTime)).toBe(Date.UTC(2026, 0, 1, 0, 0, 0, 7));
});
