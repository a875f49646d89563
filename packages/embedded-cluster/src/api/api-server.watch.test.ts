import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ApiServer, startApiServer } from './api-server.ts';
import { call, openWatch, summaryOf, type TestRequest } from './testing/api-client.ts';
import { widget, widgetDefinition, widgetsPath } from './testing/widget-definition.ts';

let server: ApiServer;
beforeEach(async () => {
  server = await startApiServer({ crds: [widgetDefinition()], bookmarkIntervalMs: 40, historyLimit: 5 });
});
afterEach(() => server.close());

const watch = (query = '', request?: TestRequest, path = widgetsPath) =>
  openWatch(`${server.url}${path}?watch=true${query}`, request);
const versionNow = async () => (await call(server.url + widgetsPath)).body.metadata.resourceVersion ?? '';
const relabel = (name: string, labels: object) => server.patch(`${widgetsPath}/${name}`, { metadata: { labels } });

describe('a watch', () => {
  it.each([
    ['without a resourceVersion', ''],
    ['from 0', '&resourceVersion=0'],
  ])('%s begins with what there is, and goes on with changes', async (_case, query) => {
    await server.apply(widget('b'));
    await server.apply(widget('a'));
    const seen = await watch(query);
    expect(summaryOf(await seen.take(2))).toEqual(['ADDED a', 'ADDED b']);
    await server.apply(widget('c'));
    await server.apply(widget('c', { size: 2 }));
    await server.delete(`${widgetsPath}/a`);
    expect(summaryOf(await seen.take(3))).toEqual(['ADDED c', 'MODIFIED c', 'DELETED a']);
  });

  it('resumes after a resourceVersion, missing nothing and repeating nothing', async () => {
    await server.apply(widget('before'));
    const resourceVersion = await versionNow();
    await server.apply(widget('a'));
    await server.apply(widget('a', { size: 2 }));
    const seen = await watch(`&resourceVersion=${resourceVersion}`);
    await server.delete(`${widgetsPath}/a`);
    const lines = await seen.take(3);
    expect(summaryOf(lines)).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a']);
    const versions = lines.map(({ object }) => Number(object.metadata.resourceVersion));
    expect(versions).toEqual([...versions].sort((a, b) => a - b));
    expect(lines[2]?.object.spec).toEqual({ size: 2, color: 'red' });
    const resumed = await watch(`&resourceVersion=${versions[1] ?? 0}`);
    expect(summaryOf(await resumed.take(1))).toEqual(['DELETED a']);
  });

  it('tells of no write that changed nothing', async () => {
    const seen = await watch();
    await server.apply(widget('a'));
    await server.apply(widget('a'));
    await server.apply(widget('b'));
    expect(summaryOf(await seen.take(2))).toEqual(['ADDED a', 'ADDED b']);
  });

  it('of one namespace does not hear of another', async () => {
    await server.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } });
    const [one, all] = [await watch(), await watch('', {}, '/apis/example.test/v1/widgets')];
    await server.apply(widget('elsewhere', { size: 1 }, { namespace: 'other' }));
    await server.apply(widget('here'));
    expect(summaryOf(await one.take(1))).toEqual(['ADDED here']);
    expect(summaryOf(await all.take(2))).toEqual(['ADDED elsewhere', 'ADDED here']);
  });

  it('with a selector sees objects come into it and leave it', async () => {
    await server.apply(widget('a'));
    const seen = await watch('&labelSelector=on');
    await relabel('a', { on: 'yes' });
    await relabel('a', { on: 'really' });
    await relabel('a', { on: null });
    await relabel('a', { off: 'x' });
    await server.delete(`${widgetsPath}/a`);
    await server.apply(widget('end', { size: 1 }, { labels: { on: 'x' } }));
    const lines = await seen.take(4);
    expect(summaryOf(lines)).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a', 'ADDED end']);
    // What leaves is shown as it was last selected, under the version of the change.
    expect(lines[2]?.object.metadata.labels).toEqual({ on: 'really' });
    expect(Number(lines[2]?.object.metadata.resourceVersion)).toBeGreaterThan(
      Number(lines[1]?.object.metadata.resourceVersion),
    );
  });

  it('ends by itself after timeoutSeconds', async () => {
    await server.apply(widget('a'));
    const seen = await watch('&timeoutSeconds=1');
    expect(summaryOf(await seen.rest())).toEqual(['ADDED a']);
  });

  it('ends cleanly when the server drops its watches, and can be resumed', async () => {
    const resourceVersion = await versionNow();
    const seen = await watch(`&resourceVersion=${resourceVersion}`);
    server.dropWatches();
    expect(await seen.rest()).toEqual([]);
    await server.apply(widget('a'));
    const resumed = await watch(`&resourceVersion=${resourceVersion}`);
    expect(summaryOf(await resumed.take(1))).toEqual(['ADDED a']);
  });
});

describe('an expired resourceVersion', () => {
  const expectExpired = async (resourceVersion: string) => {
    const seen = await watch(`&resourceVersion=${resourceVersion}`);
    expect(seen.status).toBe(200);
    const lines = await seen.rest();
    expect(lines).toMatchObject([{ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } }]);
  };

  it('is answered by an ERROR event after a compaction, while the newest goes on', async () => {
    await server.apply(widget('a'));
    const old = await versionNow();
    await server.apply(widget('b'));
    server.compact();
    await expectExpired(old);
    const seen = await watch(`&resourceVersion=${await versionNow()}`);
    await server.apply(widget('c'));
    expect(summaryOf(await seen.take(1))).toEqual(['ADDED c']);
  });

  it('is one that the history no longer reaches back to', async () => {
    const old = await versionNow();
    await server.apply(widget('a'));
    const recent = await versionNow();
    for (let size = 2; size < 12; size += 1) await server.apply(widget('a', { size }));
    await expectExpired(old);
    await expectExpired(recent);
  });

  it('is the last one of an earlier server on the same port, however much that has written', async () => {
    for (let size = 1; size <= 100; size += 1) await server.apply(widget('a', { size }));
    const last = await versionNow();
    const { port } = server;
    await server.close();
    server = await startApiServer({ port, crds: [widgetDefinition()] });
    await expectExpired(last);
  });

  it('leaves open watches alone', async () => {
    const seen = await watch();
    server.compact();
    await server.apply(widget('a'));
    expect(summaryOf(await seen.take(1))).toEqual(['ADDED a']);
  });
});

describe('a resourceVersion that is not reached yet', () => {
  it('is waited for in silence: what comes before it is not told, not even by a bookmark', async () => {
    const ahead = Number(await versionNow()) + 2;
    const seen = await watch(`&allowWatchBookmarks=true&timeoutSeconds=1&resourceVersion=${ahead}`);
    await server.apply(widget('a'));
    await server.apply(widget('b'));
    await server.apply(widget('c'));
    const lines = await seen.rest();
    expect(summaryOf(lines.filter(({ type }) => type !== 'BOOKMARK'))).toEqual(['ADDED c']);
    const told = lines.map(({ object }) => Number(object.metadata.resourceVersion));
    expect(Math.min(...told)).toBeGreaterThanOrEqual(ahead);
  });

  it('stays silent to the end when nothing reaches it', async () => {
    const ahead = Number(await versionNow()) + 10;
    const seen = await watch(`&allowWatchBookmarks=true&timeoutSeconds=1&resourceVersion=${ahead}`);
    await server.apply(widget('a'));
    expect(await seen.rest()).toEqual([]);
  });
});

describe('bookmarks', () => {
  it('carry the newest resourceVersion of all resources, so that a quiet watch can be resumed after a compaction', async () => {
    const seen = await watch('&allowWatchBookmarks=true');
    await server.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'noise' } });
    server.compact();
    const latest = await versionNow();
    const [line] = (await seen.take(2)).slice(-1);
    expect(line).toMatchObject({ type: 'BOOKMARK', object: { kind: 'Widget', apiVersion: 'example.test/v1' } });
    expect(line?.object.metadata).toEqual({ resourceVersion: latest, creationTimestamp: null });
    const resumed = await watch(`&resourceVersion=${line?.object.metadata.resourceVersion ?? ''}`);
    await server.apply(widget('a'));
    expect(summaryOf(await resumed.take(1))).toEqual(['ADDED a']);
  });

  it('come only to those who allow them', async () => {
    const seen = await watch('&timeoutSeconds=1');
    expect(await seen.rest()).toEqual([]);
  });

  it('mark the end of the initial events when these were asked for', async () => {
    await server.apply(widget('a'));
    const seen = await watch('&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true');
    const lines = await seen.take(2);
    expect(summaryOf(lines)).toEqual(['ADDED a', 'BOOKMARK']);
    expect(lines[1]?.object.metadata.annotations).toEqual({ 'k8s.io/initial-events-end': 'true' });
  });

  it('need resourceVersionMatch to be asked for that way', async () => {
    const { body } = await call(`${server.url}${widgetsPath}?watch=true&sendInitialEvents=true`);
    expect(body).toMatchObject({ code: 422, details: { causes: [{ field: 'resourceVersionMatch' }] } });
  });
});

describe('a watch in another shape', () => {
  it('holds metadata alone', async () => {
    const accept = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json';
    const seen = await watch('&allowWatchBookmarks=true', { accept });
    await server.apply(widget('a'));
    const [added, bookmark] = await seen.take(2);
    expect(added?.object).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { name: 'a' } });
    expect(added?.object).not.toHaveProperty('spec');
    expect(bookmark).toMatchObject({ type: 'BOOKMARK', object: { kind: 'PartialObjectMetadata' } });
  });

  it('holds a row of a table, with the columns once', async () => {
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
    const seen = await watch('', { accept });
    await server.apply(widget('a'));
    await server.patch(`${widgetsPath}/a/status`, { status: { conditions: [{ type: 'Ready', status: 'True' }] } });
    const [first, second] = await seen.take(2);
    expect(first?.object).toMatchObject({ kind: 'Table', rows: [{ cells: ['a', null, null, 'red'] }] });
    expect(first?.object.columnDefinitions).toHaveLength(4);
    expect(second?.object).toMatchObject({ columnDefinitions: null, rows: [{ cells: ['a', 'True', null, 'red'] }] });
  });

  it('shows the version that is watched', async () => {
    const seen = await watch('', {}, widgetsPath.replace('/v1/', '/v1beta1/'));
    await server.apply(widget('a'));
    expect((await seen.take(1))[0]?.object.apiVersion).toBe('example.test/v1beta1');
  });
});

describe('under load', () => {
  it('serves 1,000 objects to 8 watches, each event once and in order', async () => {
    const large = await startApiServer({ crds: [widgetDefinition()] });
    try {
      const watches = await Promise.all(
        Array.from({ length: 8 }, () => openWatch(`${large.url}${widgetsPath}?watch=true`)),
      );
      const names = Array.from({ length: 1000 }, (_, index) => `w${String(index).padStart(4, '0')}`);
      const received = Promise.all(watches.map((seen) => seen.take(2000)));
      for (const name of names) await large.apply(widget(name));
      for (const name of names) await large.patch(`${widgetsPath}/${name}/status`, { status: { count: 1 } });
      const expected = [...names.map((name) => `ADDED ${name}`), ...names.map((name) => `MODIFIED ${name}`)];
      for (const lines of await received) expect(summaryOf(lines)).toEqual(expected);
    } finally {
      await large.close();
    }
  });
});
