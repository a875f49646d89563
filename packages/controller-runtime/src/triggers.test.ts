import type { KubeObject } from '@buildkeeper/kube-client';
import { ManualClock, defaultObjectPaces } from '@buildkeeper/retry-policy';
import { describe, expect, it } from 'vitest';
import { defineController } from './controller-definition.ts';
import { historyFor } from './history.ts';
import { ObjectMemory } from './object-memory.ts';
import { ready } from './outcome.ts';
import { requestAnnotation } from './reconcile-request.ts';
import { readCommand } from './settings.ts';
import { summarize } from './summarize.ts';
import { createListStore } from './testing/list-store.ts';
import { gadgetResource, widget, widgetResource, type Widget } from './testing/widget.ts';
import { Triggers } from './triggers.ts';
import { WorkQueue } from './work-queue.ts';

const silent = {
  added: () => undefined,
  delayed: () => undefined,
  started: () => undefined,
  finished: () => undefined,
};
const gadgetWatch = {
  resource: gadgetResource,
  affects: (changed: KubeObject, candidate: KubeObject) => (candidate as Widget).spec.gadget === changed.metadata.name,
};
const definition = defineController<Widget, object, undefined>({
  name: 'widget',
  resource: widgetResource,
  watches: [gadgetWatch],
  createDeps: () => undefined,
  reconcile: () => Promise.resolve(ready({})),
});
const settings = () => {
  const command = readCommand({ argv: [], env: {}, readFile: () => '' });
  if (command.kind !== 'run') throw new Error('refused');
  return { ...command.settings, paces: defaultObjectPaces };
};

function rig(...objects: readonly Widget[]) {
  const clock = new ManualClock(Date.UTC(2026, 0, 1));
  const store = createListStore(objects);
  const queue = new WorkQueue({ clock, observer: silent });
  const memory = new ObjectMemory();
  const triggers = new Triggers({
    definition,
    dependencies: undefined,
    store,
    queue,
    memory,
    settings: settings(),
    clock,
  });
  /** Hands out all that is ready. */
  const woken = async () => {
    const keys: string[] = [];
    while (queue.depth > 0) keys.push((await queue.take(new AbortController().signal)).key);
    for (const key of keys) queue.done(key);
    return keys;
  };
  return { clock, store, queue, memory, triggers, woken };
}
const named = (name: string, gadget?: string, status?: unknown) =>
  widget({ metadata: { name, uid: `uid-${name}` }, spec: gadget === undefined ? {} : { gadget }, status });
const conditions = (upToDate: string, reason: string) => ({
  conditions: [
    { type: 'Ready', status: 'True', reason: 'Succeeded' },
    { type: 'UpToDate', status: upToDate, reason },
  ],
});
const gadget = (resourceVersion: string, status: object): KubeObject => ({
  metadata: { name: 'g', uid: 'uid-g', resourceVersion, generation: 1 },
  status,
});
const retry = {
  class: 'transient',
  reason: 'TLSVerificationFailed',
  attempts: 3,
  firstFailureTime: '2026-01-01T00:00:00Z',
  nextAttemptTime: '2026-01-01T00:01:00Z',
  waitingFor: 'Backoff',
};

describe('a change of an object itself', () => {
  it.each([
    { because: 'its spec changed', metadata: { generation: 2 }, isWoken: true },
    { because: 'an annotation was added', metadata: { annotations: { [requestAnnotation]: 'x' } }, isWoken: true },
    { because: 'it is being deleted', metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' }, isWoken: true },
    { because: 'only its status changed', metadata: {}, isWoken: false },
    { because: 'only its labels changed', metadata: { labels: { team: 'x' } }, isWoken: false },
  ])('wakes it: $isWoken, when $because', async ({ metadata, isWoken }) => {
    const { triggers, woken } = rig(named('a'));
    const object = widget({
      metadata: { name: 'a', uid: 'uid-a', resourceVersion: '2', ...metadata },
      status: { x: 1 },
    });
    triggers.ownChanged({ type: 'updated', previous: named('a'), object });
    expect(await woken()).toEqual(isWoken ? ['team/a'] : []);
  });

  it('makes a status that was not written yet out of date', () => {
    const { triggers, memory } = rig(named('a'));
    const object = widget({ metadata: { name: 'a', uid: 'uid-a', annotations: { any: 'thing' } } });
    const summary = summarize(ready({}), {
      ...{ object, history: memory.historyOf('team/a', object), isDue: true, nowMs: 0, random: () => 0 },
      ...{ paces: defaultObjectPaces, refreshIntervalMs: 1000 },
    });
    memory.setPendingWrite('team/a', {
      summary,
      uid: 'uid-a',
      generation: 1,
      request: undefined,
      dueMs: 9,
      failures: 1,
    });
    triggers.ownChanged({ type: 'updated', previous: named('a'), object });
    expect(memory.pendingWrite('team/a')).toBeUndefined();
  });

  it('leaves nothing behind when it is deleted', async () => {
    const { triggers, queue, memory, woken } = rig();
    const object = named('a', undefined, { observedGeneration: 1, retry });
    queue.add('team/a');
    memory.remember('team/a', historyFor(undefined, object));
    triggers.ownChanged({ type: 'deleted', object });
    expect(await woken()).toEqual([]);
    expect(memory.historyOf('team/a', named('a')).attempts).toBe(0);
  });

  it('waits with its first look for the attempt that was planned before a restart', async () => {
    const failing = named('failing', undefined, { observedGeneration: 1, retry });
    const { triggers, clock, woken } = rig(named('new'), failing);
    triggers.planAll();
    expect(await woken()).toEqual(['team/new']);
    await clock.advance(59_999);
    expect(await woken()).toEqual([]);
    await clock.advance(1);
    expect(await woken()).toEqual(['team/failing']);
  });
});

describe('a change of a dependency', () => {
  const waiting = named('waiting', 'g', conditions('False', 'DependencyNotReady'));
  const failing = named('failing', 'g', { ...conditions('False', 'AuthorizationDenied'), retry });
  const well = named('well', 'g', conditions('True', 'Succeeded'));
  const other = named('other', 'h', conditions('False', 'DependencyNotReady'));
  const fresh = named('fresh', 'g');

  it.each([
    {
      because: 'it becomes ready',
      before: { conditions: [] },
      after: conditions('True', 'Succeeded'),
      want: ['waiting', 'failing', 'well', 'fresh'],
    },
    {
      because: 'it is mended, and only its UpToDate moves',
      before: { ...conditions('False', 'AuthorizationDenied'), retry },
      after: conditions('True', 'Succeeded'),
      want: ['waiting', 'failing', 'fresh'],
    },
    {
      because: 'it fails for another reason',
      before: { ...conditions('False', 'RegistryError'), retry },
      after: { ...conditions('False', 'RegistryTimeout'), retry },
      want: ['waiting', 'fresh'],
    },
    {
      because: 'one more of its attempts failed',
      before: { ...conditions('False', 'RegistryError'), retry },
      after: { ...conditions('False', 'RegistryError'), retry: { ...retry, attempts: 4 } },
      want: [],
    },
  ])('wakes $want of those whom it concerns, when $because', async ({ before, after, want }) => {
    const { triggers, woken } = rig(waiting, failing, well, other, fresh);
    const change = { type: 'updated' as const, previous: gadget('1', before), object: gadget('2', after) };
    triggers.dependencyChanged(gadgetWatch, change);
    expect(await woken()).toEqual(want.map((name) => `team/${name}`));
  });

  it('wakes who is being reconciled, because that reconcile has read the dependency already', async () => {
    const { triggers, queue, woken } = rig(well);
    queue.add('team/well');
    await queue.take(new AbortController().signal);
    const [previous, object] = [
      gadget('1', conditions('False', 'RegistryError')),
      gadget('2', conditions('True', 'Succeeded')),
    ];
    triggers.dependencyChanged(gadgetWatch, { type: 'updated', previous, object });
    queue.done('team/well');
    expect(await woken()).toEqual(['team/well']);
  });

  it('starts the backoff of whom it wakes afresh', () => {
    const { triggers, memory } = rig(failing);
    memory.remember('team/failing', { ...historyFor(undefined, failing), attempts: 5, exponent: 4 });
    triggers.dependencyChanged(gadgetWatch, { type: 'added', object: gadget('1', {}) });
    const history = memory.historyOf('team/failing', { ...failing, metadata: { ...failing.metadata } });
    expect(history.exponent).toBeUndefined();
  });
});

describe('wakeFailedBy', () => {
  it('wakes those that failed for the reason', async () => {
    const tls = named('tls', undefined, { observedGeneration: 1, retry });
    const dead = named('dead', undefined, {
      observedGeneration: 1,
      retry: { ...retry, reason: 'RegistryUnavailable' },
    });
    const { triggers, woken } = rig(tls, dead, named('well'));
    triggers.wakeFailedBy('TLSVerificationFailed');
    expect(await woken()).toEqual(['team/tls']);
  });
});
