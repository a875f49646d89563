import { ManualClock } from '@buildkeeper/retry-policy';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEventRecorder, type EventRecorder } from './event-recorder.ts';
import type { KubeClient } from './kube-client.ts';
import type { LogEvent } from './log-sink.ts';
import { quickClient } from './testing/rig.ts';
import { refuse, ScriptServer, sendJson } from './testing/script-server.ts';

const builder = {
  apiVersion: 'kpack.io/v1alpha2',
  kind: 'Builder',
  metadata: { name: 'mine', namespace: 'team', uid: 'u-1', resourceVersion: '7' },
};
const outage = { type: 'Warning', reason: 'RegistryUnavailable', note: 'no answer', action: 'Reconcile' } as const;
const { signal } = new AbortController();

let server: ScriptServer;
let client: KubeClient;
let logs: LogEvent[];
let recorder: EventRecorder;
beforeEach(async () => {
  server = await new ScriptServer().start();
  client = quickClient(server.url);
  logs = [];
  recorder = createEventRecorder({
    client,
    clock: new ManualClock(),
    component: 'buildkeeper.io/builder',
    instance: 'builder-0',
    logger: (event) => logs.push(event),
  });
});
afterEach(async () => {
  await client.close();
  await server.close();
});

interface Sent {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly note: string;
  readonly regarding: object;
}

/** Records and answers what arrived. */
async function sent(
  ...[object, event]: Parameters<EventRecorder['record']> extends [infer O, infer E, unknown] ? [O, E] : never
): Promise<Sent> {
  server.scripts.other.push((response, { body }) => {
    sendJson(response, 201, JSON.parse(body));
  });
  await recorder.record(object, event, signal);
  return JSON.parse(server.seen.at(-1)!.body) as Sent;
}

describe('record', () => {
  it('writes an event beside the object', async () => {
    const { metadata, ...event } = await sent(builder, outage);
    expect(server.seen[0]?.url.pathname).toBe('/apis/events.k8s.io/v1/namespaces/team/events');
    expect(metadata.namespace).toBe('team');
    expect(metadata.name).toMatch(/^mine\.[0-9a-f]{16}$/);
    expect(event).toEqual({
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      eventTime: '2026-01-01T00:00:00.000000Z',
      reportingController: 'buildkeeper.io/builder',
      reportingInstance: 'builder-0',
      ...outage,
      regarding: {
        apiVersion: 'kpack.io/v1alpha2',
        kind: 'Builder',
        name: 'mine',
        namespace: 'team',
        uid: 'u-1',
        resourceVersion: '7',
      },
    });
  });

  it('writes events of cluster-scoped objects into namespace default', async () => {
    const { metadata, regarding } = await sent(
      {
        apiVersion: 'kpack.io/v1alpha2',
        kind: 'ClusterStack',
        metadata: { name: 'base', uid: 'u', resourceVersion: '1' },
      },
      outage,
    );
    expect(server.seen[0]?.url.pathname).toBe('/apis/events.k8s.io/v1/namespaces/default/events');
    expect(metadata.namespace).toBe('default');
    expect(regarding).not.toHaveProperty('namespace');
  });

  it('gives the same event a new name each time', async () => {
    const first = await sent(builder, outage);
    const second = await sent(builder, outage);
    expect(second.metadata.name).not.toBe(first.metadata.name);
  });

  it('keeps to what a server takes: 1024 bytes of note, 253 of name', async () => {
    const longName = { ...builder, metadata: { ...builder.metadata, name: 'n'.repeat(253) } };
    const { metadata, note } = await sent(longName, { ...outage, note: 'ä'.repeat(600).slice(0, 511) + 'x→→' });
    expect(metadata.name).toHaveLength(253);
    expect(note).toBe('ä'.repeat(511) + 'x');
  });

  it('logs what cannot be written, and goes on', async () => {
    server.scripts.other.push(refuse(403, 'Forbidden'));
    await recorder.record(builder, outage, signal);
    expect(logs).toEqual([
      {
        level: 'warn',
        msg: expect.stringMatching(/^Cannot create events.k8s.io\/v1 events team\/mine\..*: 403 /) as string,
        reason: 'RegistryUnavailable',
      },
    ]);
    await sent(builder, outage);
  });

  it('neither throws nor logs when it is stopped', async () => {
    await recorder.record(builder, outage, AbortSignal.abort(new Error('stop')));
    expect(logs).toEqual([]);
  });
});
