import { defaultObjectPaces } from '@buildkeeper/retry-policy';
import { describe, expect, it } from 'vitest';
import { firstLookDelayMs, historyFor, withBackoffReset } from './history.ts';
import { requestAnnotation } from './reconcile-request.ts';
import { widget } from './testing/widget.ts';

const nowMs = Date.UTC(2026, 0, 1, 12);
const at = (offsetMs: number) => new Date(nowMs + offsetMs).toISOString();
const failing = (part: object = {}, nextInMs = 60_000) => ({
  observedGeneration: 1,
  retry: {
    class: 'transient',
    reason: 'RegistryUnavailable',
    attempts: 7,
    firstFailureTime: at(-600_000),
    nextAttemptTime: at(nextInMs),
    waitingFor: 'Backoff',
    ...part,
  },
});
const delayMs = (object: Parameters<typeof firstLookDelayMs>[0]) =>
  firstLookDelayMs(object, { nowMs, paces: defaultObjectPaces });

describe('historyFor', () => {
  it('takes up where a process before this one stopped', () => {
    expect(historyFor(undefined, widget({ status: failing() }))).toMatchObject({
      attempts: 7,
      exponent: 6,
      firstFailureMs: nowMs - 600_000,
      nextAttemptMs: nowMs + 60_000,
      lastFailure: { class: 'transient', reason: 'RegistryUnavailable' },
    });
  });

  it('starts the backoff afresh for a new spec, but not the outage', () => {
    const object = widget({ metadata: { generation: 2 }, status: failing() });
    const history = historyFor(undefined, object);
    expect(history).toMatchObject({ attempts: 0, firstFailureMs: nowMs - 600_000 });
    expect(history.exponent).toBeUndefined();
    expect(history.nextAttemptMs).toBeUndefined();
  });

  it('knows nothing of an object that had the name before', () => {
    const known = historyFor(undefined, widget({ status: failing() }));
    const history = historyFor(known, widget({ metadata: { uid: 'uid-b' } }));
    expect(history).toMatchObject({ uid: 'uid-b', attempts: 0 });
    expect(history.firstFailureMs).toBeUndefined();
  });

  it('prefers what it remembers to what the status says', () => {
    const known = { ...historyFor(undefined, widget({ status: failing() })), attempts: 9 };
    expect(historyFor(known, widget({ status: failing() })).attempts).toBe(9);
  });
});

describe('withBackoffReset', () => {
  it('goes on counting attempts', () => {
    const history = withBackoffReset(historyFor(undefined, widget({ status: failing() })));
    expect(history.attempts).toBe(7);
    expect(history.exponent).toBeUndefined();
  });
});

describe('firstLookDelayMs', () => {
  it.each([
    { because: 'it was never looked at', object: widget(), want: 0 },
    { because: 'it is well', object: widget({ status: { observedGeneration: 1 } }), want: 0 },
    { because: 'its next attempt was planned', object: widget({ status: failing() }), want: 60_000 },
    { because: 'its next attempt is overdue', object: widget({ status: failing({}, -5000) }), want: 0 },
    { because: 'a clock was wrong', object: widget({ status: failing({}, 9e9) }), want: 300_000 },
    {
      because: 'its class may wait longer',
      object: widget({ status: failing({ class: 'notFound', reason: 'ImageNotFound' }, 9e9) }),
      want: 600_000,
    },
    {
      because: 'certificates may wait longer still',
      object: widget({ status: failing({ reason: 'TLSVerificationFailed' }, 9e9) }),
      want: 900_000,
    },
    {
      because: 'the server had asked for an hour',
      object: widget({ status: failing({ class: 'throttled', reason: 'RegistryThrottled' }, 3_600_000) }),
      want: 3_600_000,
    },
    {
      because: 'the spec was changed meanwhile',
      object: widget({ metadata: { generation: 2 }, status: failing() }),
      want: 0,
    },
    {
      because: 'a person asked for an attempt meanwhile',
      object: widget({ metadata: { annotations: { [requestAnnotation]: 'now' } }, status: failing() }),
      want: 0,
    },
    {
      because: 'that request was answered already',
      object: widget({
        metadata: { annotations: { [requestAnnotation]: 'now' } },
        status: { ...failing(), lastHandledReconcileAt: 'now' },
      }),
      want: 60_000,
    },
  ])('is $want ms when $because', ({ object, want }) => {
    expect(delayMs(object)).toBe(want);
  });
});
