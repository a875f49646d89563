import type { StoreChange } from '@buildkeeper/kube-client';
import { describe, expect, it } from 'vitest';
import { weightOf } from './dependency-change.ts';
import { widget } from './testing/widget.ts';

const condition = (type: string, status: string, reason = 'Succeeded', message?: string) => ({
  type,
  status,
  reason,
  message,
});
const wellConditions = [condition('Ready', 'True'), condition('UpToDate', 'True')];
const well = { observedGeneration: 1, buildImage: { latestImage: 'a' }, conditions: wellConditions };
const retry = { class: 'transient', attempts: 1 };
const stale = [condition('Ready', 'True'), condition('UpToDate', 'False', 'RegistryError', 'one')];

const update = (before: object, after: object): StoreChange<ReturnType<typeof widget>> => ({
  type: 'updated',
  previous: widget({ status: before }),
  object: widget({ metadata: { resourceVersion: '2' }, status: after }),
});
/** An edit of the spec, with the status as it was. */
const edit = (status: object | undefined, before: object, after: object): StoreChange<ReturnType<typeof widget>> => ({
  type: 'updated',
  previous: widget({ spec: before, status }),
  object: widget({ metadata: { resourceVersion: '2', generation: 2 }, spec: after, status }),
});
const [oldSpec, newSpec] = [{ image: 'a' }, { image: 'b' }];
const account = (name: string) => ({ serviceAccountRef: { name, namespace: 'team' } });

describe('weightOf a change of a dependency', () => {
  it.each([
    { because: 'it appears', change: { type: 'added' as const, object: widget() }, want: 'all' },
    { because: 'it vanishes', change: { type: 'deleted' as const, object: widget() }, want: 'all' },
    {
      because: 'a resolved field differs',
      change: update(well, { ...well, buildImage: { latestImage: 'b' } }),
      want: 'all',
    },
    {
      because: 'it becomes ready',
      change: update(
        { conditions: [condition('Ready', 'False', 'RegistryError')] },
        { conditions: [condition('Ready', 'True')] },
      ),
      want: 'all',
    },
    {
      because: 'it is not ready for another reason',
      change: update(
        { conditions: [condition('Ready', 'False', 'RegistryError')] },
        { conditions: [condition('Ready', 'False', 'ImageInvalid')] },
      ),
      want: 'all',
    },
    { because: 'it is no longer up to date', change: update(well, { ...well, conditions: stale }), want: 'waiting' },
    { because: 'it is up to date again', change: update({ ...well, conditions: stale }, well), want: 'failing' },
    {
      because: 'it is out of date for another reason',
      change: update(
        { ...well, conditions: stale },
        { ...well, conditions: [condition('Ready', 'True'), condition('UpToDate', 'False', 'RegistryTimeout')] },
      ),
      want: 'waiting',
    },
    {
      because: 'one more attempt failed',
      change: update(
        { ...well, conditions: stale, retry },
        { ...well, conditions: stale, retry: { ...retry, attempts: 2 } },
      ),
      want: 'none',
    },
    {
      because: 'only its message differs',
      change: update(
        { ...well, conditions: stale },
        { ...well, conditions: [condition('Ready', 'True'), condition('UpToDate', 'False', 'RegistryError', 'two')] },
      ),
      want: 'none',
    },
    {
      because: 'it answered a request',
      change: update(well, { ...well, observedGeneration: 2, lastHandledReconcileAt: 'x' }),
      want: 'none',
    },
    {
      because: 'its spec changed and its controller has not come to it',
      change: edit(well, oldSpec, newSpec),
      want: 'none',
    },
    {
      because: 'its controller follows to the new spec and finds what it had',
      change: update(well, { ...well, observedGeneration: 2 }),
      want: 'none',
    },
    {
      because: 'another ServiceAccount reads it, whatever its controller makes of that',
      change: edit(well, account('bad'), account('good')),
      want: 'all',
    },
    {
      because: 'its spec changed but for the ServiceAccount',
      change: edit(well, { ...account('good'), ...oldSpec }, { ...account('good'), ...newSpec }),
      want: 'none',
    },
    {
      because: 'its spec changed and nobody ever resolved it',
      change: edit(undefined, oldSpec, newSpec),
      want: 'all',
    },
    {
      because: 'its spec changed and another program, which is gone, left a status',
      change: edit({ observedGeneration: 1, conditions: [condition('Ready', 'True')] }, oldSpec, newSpec),
      want: 'all',
    },
    {
      because: 'its spec changed and its status was never about a generation',
      change: edit({ conditions: wellConditions }, oldSpec, newSpec),
      want: 'all',
    },
  ])('is $want when $because', ({ change, want }) => {
    expect(weightOf(change, false)).toBe(want);
  });

  it('is all for every version of an object of which only the metadata is read', () => {
    const object = widget({ metadata: { resourceVersion: '2' } });
    expect(weightOf({ type: 'updated', previous: widget(), object }, true)).toBe('all');
    expect(weightOf({ type: 'updated', previous: object, object }, true)).toBe('none');
  });
});
