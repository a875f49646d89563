import type { KubeClient, KubeObject } from '@buildkeeper/kube-client';
import { createMetrics } from '@buildkeeper/metrics';
import { ManualClock } from '@buildkeeper/retry-policy';
import { describe, expect, it } from 'vitest';
import { writeStatus, type WriteResult } from './status-writer.ts';
import { createListStore } from './testing/list-store.ts';
import { sampleOf } from './testing/runtime-rig.ts';
import { widget, widgetResource } from './testing/widget.ts';

function rig(options: { remainingMs: number; answer?: KubeObject }) {
  const clock = new ManualClock();
  const metrics = createMetrics({ controllers: ['widget'], version: '0', hasProcessMetrics: false });
  const sent: object[] = [];
  const lost = new AbortController();
  const patchStatus = (_type: unknown, _name: unknown, patch: object) => {
    sent.push(patch);
    return options.answer === undefined ? new Promise(() => undefined) : Promise.resolve(options.answer);
  };
  const deps = {
    kube: { patchStatus } as unknown as KubeClient,
    resource: widgetResource,
    store: createListStore([widget()]),
    leadership: { signal: lost.signal, remainingMs: () => options.remainingMs },
    clock,
    observer: metrics.observerFor('widget'),
  };
  return { clock, sent, lost, deps, scrape: async () => (await metrics.render()).body };
}
const written = 'buildkeeper_status_writes_total{controller="widget",result="success"}';
const unanswered = { class: 'transient', reason: 'KubernetesAPIError' };

describe('writeStatus', () => {
  it('sends what differs, with the version that was read, and takes in the answer', async () => {
    const answer = widget({ metadata: { resourceVersion: '2' }, status: { size: 1 } });
    const { sent, deps, scrape } = rig({ remainingMs: 1000, answer });
    const object = widget({ status: { old: true, same: 1 } });
    expect(await writeStatus(object, { same: 1, size: 1 }, deps)).toEqual({ kind: 'written' });
    expect(sent).toEqual([{ metadata: { resourceVersion: '1' }, status: { size: 1, old: null } }]);
    expect(deps.store.get('team/a')).toEqual(answer);
    expect(sampleOf(await scrape(), written)).toBe(1);
  });

  it('sends nothing when nothing differs', async () => {
    const { sent, deps, scrape } = rig({ remainingMs: 1000 });
    expect(await writeStatus(widget({ status: { size: 1 } }), { size: 1 }, deps)).toEqual({ kind: 'unchanged' });
    expect(sent).toEqual([]);
    expect(sampleOf(await scrape(), written)).toBe(0);
  });

  it.each([0, -1])('sends nothing once the Lease may belong to another: %d ms', async (remainingMs) => {
    const { lost, sent, deps } = rig({ remainingMs });
    // A renewal may still come through; the object must not be lost until the term is known to be over.
    expect(await writeStatus(widget(), { size: 1 }, deps)).toMatchObject({ kind: 'failed', failure: unanswered });
    lost.abort(new Error('lost'));
    expect(await writeStatus(widget(), { size: 1 }, deps)).toEqual({ kind: 'stopped' });
    expect(sent).toEqual([]);
  });

  it.each([
    { because: 'the Lease could run out', remainingMs: 4000, limitMs: 4000 },
    { because: 'it takes too long', remainingMs: 60_000, limitMs: 5000 },
    { because: 'it takes too long, with nobody to be elected by', remainingMs: Infinity, limitMs: 5000 },
  ])('gives a patch up, as a failure that passes, when $because', async ({ remainingMs, limitMs }) => {
    const { clock, deps, scrape } = rig({ remainingMs });
    let result: WriteResult | undefined;
    const writing = writeStatus(widget(), { size: 1 }, deps).then((ended) => (result = ended));
    await clock.advance(limitMs - 1);
    expect(result).toBeUndefined();
    await clock.advance(1);
    expect(await writing).toMatchObject({ kind: 'failed', failure: unanswered });
    expect(sampleOf(await scrape(), written)).toBe(0);
    expect(sampleOf(await scrape(), written.replace('success', 'error'))).toBe(1);
  });

  it('gives a patch up when the leadership is lost', async () => {
    const { lost, deps } = rig({ remainingMs: 4000 });
    const writing = writeStatus(widget(), { size: 1 }, deps);
    lost.abort(new Error('lost'));
    expect(await writing).toEqual({ kind: 'stopped' });
  });
});
