import { defaultObjectPaces } from '@buildkeeper/retry-policy';
import { describe, expect, it } from 'vitest';
import { historyFor, type History } from './history.ts';
import { failed, ready, specInvalid, waitingOn } from './outcome.ts';
import { requestAnnotation } from './reconcile-request.ts';
import { summarize, type SummaryInputs } from './summarize.ts';
import { failure, widget } from './testing/widget.ts';

const nowMs = Date.UTC(2026, 0, 1, 12, 0, 0, 250);
const object = widget();
/** The draw 0 gives half of the delay. */
const inputs = (part: Partial<SummaryInputs> = {}): SummaryInputs => ({
  object,
  history: historyFor(undefined, part.object ?? object),
  isDue: true,
  nowMs,
  paces: defaultObjectPaces,
  refreshIntervalMs: 900_000,
  random: () => 0,
  ...part,
});
const afterFailures = (count: number, part: Partial<History> = {}): History => ({
  ...historyFor(undefined, object),
  generation: 1,
  attempts: count,
  exponent: count - 1,
  firstFailureMs: nowMs - 60_000,
  nextAttemptMs: nowMs,
  lastFailure: { class: 'transient', reason: 'RegistryUnavailable' },
  ...part,
});

describe('summarize of a failure', () => {
  it('tells all about the retry', () => {
    const summary = summarize(failed(failure()), inputs({ random: () => 1 }));
    expect(summary.requeueAfterMs).toBe(1000);
    expect(summary.status).toMatchObject({
      observedGeneration: 1,
      retry: {
        class: 'transient',
        reason: 'RegistryUnavailable',
        attempts: 1,
        firstFailureTime: '2026-01-01T12:00:00Z',
        nextAttemptTime: '2026-01-01T12:00:02Z',
        host: 'registry.example:5000',
        waitingFor: 'Backoff',
      },
    });
    expect(summary.observations).toEqual({
      result: 'error',
      isTerminal: false,
      reason: 'RegistryUnavailable',
      failure: { class: 'transient', reason: 'RegistryUnavailable' },
      retry: { reason: 'RegistryUnavailable', delayMs: 1000 },
    });
  });

  it.each([
    { because: 'the scheduled delay ran out', isDue: true, exponent: 3, delayMs: 4000 },
    { because: 'an event came before its end', isDue: false, exponent: 2, delayMs: 2000 },
  ])('lengthens the delay only when $because', ({ isDue, exponent, delayMs }) => {
    const summary = summarize(failed(failure()), inputs({ history: afterFailures(3), isDue }));
    expect(summary.history).toMatchObject({ attempts: 4, exponent, nextAttemptMs: nowMs + delayMs });
    expect(summary.status).toMatchObject({ retry: { attempts: 4, firstFailureTime: '2026-01-01T11:59:00Z' } });
    expect(summary.requeueAfterMs).toBe(delayMs);
  });

  it('starts from the base again when an input has changed, and goes on counting', () => {
    const summary = summarize(failed(failure()), inputs({ history: afterFailures(9, { exponent: undefined }) }));
    expect(summary.requeueAfterMs).toBe(500);
    expect(summary.status).toMatchObject({ retry: { attempts: 10 } });
  });

  it('starts from the base of another class: an outage before a 401 does not lengthen the wait for the credential', () => {
    const denied = failure({ class: 'auth', reason: 'AuthenticationFailed' });
    const summary = summarize(failed(denied), inputs({ history: afterFailures(9) }));
    expect(summary.requeueAfterMs).toBe(15_000);
    expect(summary.status).toMatchObject({ retry: { attempts: 10, class: 'auth' } });
    const next = summarize(failed(denied), inputs({ history: summary.history }));
    expect(next.requeueAfterMs).toBe(30_000);
  });

  it('keeps what was resolved before, but for what it brings along', () => {
    const before = widget({ status: { latestImage: 'old', order: [1] } });
    const outcome = failed(failure(), { status: { order: [2] } });
    const { status } = summarize(outcome, inputs({ object: before }));
    expect(status).toMatchObject({ latestImage: 'old', order: [2] });
  });

  it.each([
    {
      part: { class: 'throttled', reason: 'RegistryThrottled', retryAfterMs: 40_000 } as const,
      ms: 40_000,
      waitingFor: 'Throttle',
    },
    { part: { class: 'auth', reason: 'AuthenticationFailed' } as const, ms: 15_000, waitingFor: 'Backoff' },
    { part: { class: 'notFound', reason: 'ImageNotFound' } as const, ms: 5000, waitingFor: 'Backoff' },
    { part: { class: 'invalid', reason: 'SpecInvalid' } as const, ms: 1_800_000, waitingFor: 'Change' },
  ])('waits $ms ms for $part.class', ({ part, ms, waitingFor }) => {
    const summary = summarize(failed(failure(part)), inputs());
    expect(summary.requeueAfterMs).toBe(ms);
    expect(summary.status).toMatchObject({ retry: { waitingFor } });
    expect(summary.observations.isTerminal).toBe(part.class === 'invalid');
  });

  it('names no host when none was dialled', () => {
    const summary = summarize(specInvalid([{ field: 'spec.tag', message: 'is empty' }]), inputs());
    expect(summary.status?.['retry']).not.toHaveProperty('host');
  });
});

describe('summarize of a success', () => {
  it('removes the retry and tells how long the outage was', () => {
    const before = widget({ status: { stale: true, retry: { attempts: 5 } } });
    const summary = summarize(ready({ latestImage: 'new' }), inputs({ object: before, history: afterFailures(5) }));
    expect(summary.status).toMatchObject({ latestImage: 'new', observedGeneration: 1 });
    expect(summary.status).not.toHaveProperty('retry');
    expect(summary.status).not.toHaveProperty('stale');
    expect(summary.history).toMatchObject({ attempts: 0, hasSucceeded: true });
    expect(summary.history.exponent).toBeUndefined();
    expect(summary.observations).toEqual({
      result: 'success',
      isTerminal: false,
      reason: 'Succeeded',
      recovery: { class: 'transient', outageMs: 60_000 },
    });
    expect(summary.event?.note).toBe('Up to date again after 1m and 5 failed attempts');
  });

  it.each([
    { draw: 0, ms: 810_000 },
    { draw: 0.5, ms: 900_000 },
    { draw: 1, ms: 990_000 },
  ])('is checked again after the interval, moved by at most a tenth: draw $draw', ({ draw, ms }) => {
    const history = { ...historyFor(undefined, object), hasSucceeded: true };
    expect(summarize(ready({}), inputs({ history, random: () => draw })).requeueAfterMs).toBeCloseTo(ms);
  });

  it('is spread over the interval the first time, always the same way for an object', () => {
    const delays = Array.from({ length: 1000 }, (_, n) => {
      const fresh = widget({ metadata: { uid: `d9428888-122b-11e1-b85c-61cd3cbb3${n}` } });
      return summarize(ready({}), inputs({ object: fresh, random: () => 0.5 })).requeueAfterMs;
    });
    const perTenth = Array.from({ length: 9 }, (_, n) => {
      const [from, to] = [(n + 1) * 90_000, (n + 2) * 90_000];
      return delays.filter((ms) => ms >= from && ms < to).length;
    });
    expect(perTenth.reduce((sum, count) => sum + count, 0)).toBe(1000);
    expect(Math.min(...perTenth)).toBeGreaterThan(60);
    expect(summarize(ready({}), inputs({ random: () => 0.5 })).requeueAfterMs).toBe(
      summarize(ready({}), inputs({ random: () => 0.5 })).requeueAfterMs,
    );
  });
});

describe('summarize of a wait', () => {
  it('comes back for what nobody saw, and counts no failure', () => {
    const summary = summarize(waitingOn('ClusterStack base is not ready'), inputs({ history: afterFailures(2) }));
    expect(summary.requeueAfterMs).toBe(270_000);
    expect(summary.status).not.toHaveProperty('retry');
    expect(summary.observations).toEqual({
      result: 'requeue_after',
      isTerminal: false,
      reason: 'DependencyNotReady',
    });
    expect(summary.history.firstFailureMs).toBe(nowMs - 60_000);
  });

  it('follows the auth pace when it is asked to', () => {
    const outcome = waitingOn('ServiceAccount team/default does not exist', { pace: 'auth' });
    const first = summarize(outcome, inputs());
    const second = summarize(outcome, inputs({ history: first.history }));
    const early = summarize(outcome, inputs({ history: second.history, isDue: false }));
    expect([first, second, early].map((one) => one.requeueAfterMs)).toEqual([15_000, 30_000, 30_000]);
  });
});

describe('summarize of an attempt that says nothing about the object', () => {
  it('neither writes nor counts an abort', () => {
    const history = afterFailures(2);
    expect(summarize(failed(failure({ class: 'aborted' })), inputs({ history }))).toEqual({
      status: undefined,
      requeueAfterMs: 0,
      history,
      observations: { isTerminal: false, reason: 'RegistryUnavailable' },
    });
  });

  it('comes back soon after a lost race, later each time, without an error', () => {
    const lost = failed(failure({ class: 'conflict', reason: 'Conflict' }));
    const first = summarize(lost, inputs());
    const second = summarize(lost, inputs({ history: first.history }));
    expect([first.requeueAfterMs, second.requeueAfterMs]).toEqual([2.5, 5]);
    expect(first.status).toBeUndefined();
    expect(first.observations).toMatchObject({ result: 'requeue', retry: { reason: 'Conflict' } });
    expect(first.observations.failure).toBeUndefined();
  });
});

describe('summarize of any outcome', () => {
  it.each([ready({}), failed(failure()), waitingOn('x')])('answers the request: $kind', (outcome) => {
    const asked = widget({ metadata: { annotations: { [requestAnnotation]: '2026-01-01' } } });
    expect(summarize(outcome, inputs({ object: asked })).status).toMatchObject({
      lastHandledReconcileAt: '2026-01-01',
    });
  });

  it('keeps the last answer when the request is gone', () => {
    const before = widget({ status: { lastHandledReconcileAt: 'x' } });
    expect(summarize(ready({}), inputs({ object: before })).status).toMatchObject({ lastHandledReconcileAt: 'x' });
  });
});
