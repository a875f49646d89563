import { setTimeout as delay } from 'node:timers/promises';
import { createSystemClock, ManualClock } from '@buildkeeper/retry-policy';
import { afterEach, describe, expect, it } from 'vitest';
import { objectKey } from './kube-object.ts';
import { createReflector } from './reflector.ts';
import { quickClient, quickTiming, type Rig, type RigOptions, startRig, until } from './testing/rig.ts';
import { ScriptServer, sendJson, type Widget, widgetResource } from './testing/script-server.ts';

let rig: Rig;
afterEach(async () => {
  await rig.close();
  expect(rig.contradictions).toEqual([]);
});

const withWidgets = (count: number, options: RigOptions = {}) =>
  startRig({
    prepare: (server) => {
      for (let at = 1; at <= count; at += 1) server.write(`w${at}`, at);
    },
    ...options,
  });

describe('a reflector', () => {
  it('delivers what is there, page by page read, then what changes', async () => {
    rig = await withWidgets(7);
    expect(rig.reflector.hasSynced()).toBe(false);
    await rig.reflector.synced;
    expect(rig.reflector.hasSynced()).toBe(true);
    expect(rig.story).toEqual([1, 2, 3, 4, 5, 6, 7].map((at) => `added w${at}=${at}`));
    rig.server.write('w1', 10);
    rig.server.remove('w2');
    rig.server.write('w8', 8);
    await rig.settled();
    expect(rig.story.slice(7)).toEqual(['updated w1=10', 'deleted w2=2', 'added w8=8']);
    const lists = rig.server.seen.filter((one) => one.kind === 'list');
    expect(lists.map((one) => one.url.search)).toEqual([
      '?limit=3',
      '?limit=3&continue=3%3A17',
      '?limit=3&continue=6%3A17',
    ]);
  });

  it('watches from the version of the list, with bookmarks and a time that is drawn', async () => {
    rig = await withWidgets(1, { reflector: { random: () => 0.5 } });
    await until(() => rig.server.openWatches === 1);
    const watch = rig.server.seen.find((one) => one.kind === 'watch');
    expect(Object.fromEntries(watch?.url.searchParams ?? [])).toEqual({
      watch: 'true',
      allowWatchBookmarks: 'true',
      resourceVersion: '11',
      timeoutSeconds: '450',
    });
  });

  it('resumes from a bookmark', async () => {
    rig = await withWidgets(1);
    await until(() => rig.server.openWatches === 1);
    rig.server.sendRaw(bookmark('4711'));
    rig.server.endWatches();
    await until(() => rig.server.count('watch') === 2);
    expect(rig.server.seen.at(-1)?.url.searchParams.get('resourceVersion')).toBe('4711');
    expect(rig.server.count('list')).toBe(1);
  });

  it('holds no managed fields and no copy that kubectl made', async () => {
    rig = await startRig({
      prepare: (server) => {
        const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': '{}', team: 'a' };
        const metadata = { name: 'w1', uid: 'u', resourceVersion: '', annotations, managedFields: [{ manager: 'x' }] };
        server.write('w1', 1, { metadata });
      },
    });
    await rig.reflector.synced;
    const [object] = rig.reflector.store.list();
    expect(object?.metadata).toEqual({
      name: 'w1',
      namespace: 'team',
      uid: 'u',
      resourceVersion: '11',
      annotations: { team: 'a' },
    });
  });

  it('watches one namespace when told so', async () => {
    rig = await withWidgets(1, { reflector: { namespace: 'team' } });
    await until(() => rig.server.openWatches === 1);
    expect(new Set(rig.server.seen.map((one) => one.url.pathname))).toEqual(
      new Set(['/apis/example.org/v1/namespaces/team/widgets']),
    );
  });

  it('asks for metadata alone, and holds no more even when more is sent', async () => {
    rig = await withWidgets(1, { reflector: { metadataOnly: true, onChange: () => undefined } });
    await until(() => rig.server.openWatches === 1);
    expect(rig.server.seen.map((one) => one.headers.accept)).toEqual([
      'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
      'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
    ]);
    expect(Object.keys(rig.reflector.store.list()[0] ?? {}).sort()).toEqual(['apiVersion', 'kind', 'metadata']);
  });

  it('keeps the indexes current, and lives with an object that an indexer cannot read', async () => {
    const bySize = (widget: Widget) => {
      if (widget.spec.size === 13) throw new Error('unlucky');
      return [widget.spec.size > 5 ? 'large' : 'small'];
    };
    rig = await withWidgets(6, { reflector: { indexers: { bySize } } });
    await rig.reflector.synced;
    rig.server.write('w1', 9);
    rig.server.write('w2', 13);
    rig.server.remove('w3');
    await rig.settled();
    const names = (value: string) => rig.reflector.store.byIndex('bySize', value).map((one) => objectKey(one));
    expect(names('large')).toEqual(['team/w6', 'team/w1']);
    expect(names('small')).toEqual(['team/w4', 'team/w5']);
    expect(rig.reflector.store.get('team/w2')?.spec.size).toBe(13);
  });

  it('does not tell of an own write that was put, and tells of the next change by others', async () => {
    rig = await withWidgets(1);
    await until(() => rig.server.openWatches === 1);
    const before = rig.reflector.store.get('team/w1')!;
    const patch = { metadata: { resourceVersion: before.metadata.resourceVersion }, status: { phase: 'Ready' } };
    const signal = rig.stop.signal;
    rig.server.delayEventsMs = 30;
    const answer = await rig.client.patchStatus<Widget>(widgetResource, before.metadata, patch, signal);
    rig.reflector.store.put(answer);
    expect(rig.reflector.store.get('team/w1')?.status?.phase).toBe('Ready');
    rig.server.write('w1', 5);
    await rig.settled();
    expect(rig.story).toEqual(['added w1=1', 'updated w1=5']);
  });
});

describe('stopping', () => {
  it('ends while a watch is open, and closes it', async () => {
    rig = await withWidgets(1);
    await until(() => rig.server.openWatches === 1);
    rig.stop.abort(new Error('stop'));
    await rig.ended;
    await until(() => rig.server.openWatches === 0);
  });

  it('ends while the list is in flight, delivers nothing afterwards, and opens no watch', async () => {
    rig = await withWidgets(2, {
      prepare: (server) => {
        server.write('w1', 1);
        server.scripts.list.push((response, { url }) => {
          setTimeout(() => {
            server.answerList(response, url);
          }, 30);
        });
      },
    });
    await until(() => rig.server.count('list') === 1);
    rig.stop.abort(new Error('stop'));
    await rig.ended;
    await delay(60);
    expect(rig.story).toEqual([]);
    expect(rig.reflector.store.size).toBe(0);
    expect(rig.reflector.hasSynced()).toBe(false);
    expect(rig.server.count('watch')).toBe(0);
  });

  it('delivers no more once a listener has stopped it', async () => {
    rig = await withWidgets(3, {
      onChange: (_, own) => {
        own.stop.abort(new Error('stop'));
      },
    });
    await rig.ended;
    expect(rig.story).toEqual(['added w1=1']);
    expect(rig.server.count('watch')).toBe(0);
  });

  it('ends during the pause after a failure', async () => {
    rig = await withWidgets(1, {
      reflector: { timing: { ...quickTiming, pace: { baseDelayMs: 60_000, factor: 2, maxDelayMs: 60_000 } } },
    });
    await until(() => rig.server.openWatches === 1);
    rig.server.endWatches();
    await delay(20);
    rig.stop.abort(new Error('stop'));
    await rig.ended;
  });
});

describe('a quiet watch', () => {
  const minute = 60_000;

  /** Runs a reflector with its usual times on a server that sends nothing but bookmarks, and counts its requests. */
  async function requestsIn(minutes: number, bookmarkEveryMs: number): Promise<number> {
    const server = await new ScriptServer().start();
    const clock = new ManualClock();
    const stop = new AbortController();
    const client = quickClient(server.url, { clock });
    const options = { client, resource: widgetResource, clock, random: () => 0.5, onChange: () => undefined };
    const reflector = createReflector<Widget>(options);
    const ended = reflector.run(stop.signal);
    await until(() => server.openWatches === 1);
    for (let atMs = 0; atMs < minutes * minute; atMs += 5000) {
      await clock.advance(5000);
      if (atMs % bookmarkEveryMs === 0) server.sendRaw(bookmark('11'));
      await delay(1);
    }
    const requests = server.seen.length;
    stop.abort(new Error('stop'));
    await ended;
    await client.close();
    await server.close();
    return requests;
  }

  it('costs a request in several minutes where bookmarks come', async () => {
    rig = await startRig();
    // A list, and watches of 450 s and 30 s of patience.
    expect(await requestsIn(30, minute)).toBeLessThanOrEqual(5);
  });

  it('costs less than a request a minute where none come', async () => {
    rig = await startRig();
    const requests = await requestsIn(30, Infinity);
    expect(requests).toBeGreaterThan(10);
    expect(requests).toBeLessThan(30);
  });
});

describe('many objects', () => {
  it('reads ten thousand in pages of five hundred and finds them by index', async () => {
    const count = 10_000;
    rig = await startRig({
      prepare: (server) => {
        for (let at = 1; at <= count; at += 1) server.write(`w${at}`, at % 100);
      },
      reflector: {
        timing: { ...quickTiming, pageSize: 500 },
        indexers: { bySize: (widget) => [`${widget.spec.size}`] },
        clock: createSystemClock(),
      },
    });
    await rig.reflector.synced;
    expect(rig.server.count('list')).toBe(20);
    expect(rig.reflector.store.byIndex('bySize', '42')).toHaveLength(100);
    expect(rig.reflector.store.list()).toBe(rig.reflector.store.list());
  });

  it('takes an empty list written as null', async () => {
    rig = await startRig({
      prepare: (server) => {
        server.scripts.list.push((response) => {
          sendJson(response, 200, { metadata: { resourceVersion: '10' }, items: null });
        });
      },
    });
    await rig.reflector.synced;
    expect(rig.reflector.store.size).toBe(0);
  });
});

function bookmark(resourceVersion: string): string {
  return `${JSON.stringify({ type: 'BOOKMARK', object: { kind: 'Widget', metadata: { resourceVersion } } })}\n`;
}
