import { ClassifiedError, type Failure } from '@buildkeeper/retry-policy';
import { describe, expect, it } from 'vitest';
import type { Attempt } from './attempt.ts';
import { isPanic, outcomeOf } from './error-policy.ts';
import { failed, ready, type Outcome } from './outcome.ts';
import { failure } from './testing/widget.ts';

class AdapterError extends ClassifiedError {
  readonly failure: Failure;
  constructor(judged: Failure) {
    super(judged.message);
    this.failure = judged;
  }
}

const refused = failure();

describe('outcomeOf', () => {
  it.each<{ because: string; ended: Attempt<Outcome<object>>; want: object; panics?: boolean }>([
    { because: 'it returned', ended: { kind: 'done', value: ready({}) }, want: { kind: 'ready' } },
    {
      because: 'an adapter judged what happened',
      ended: { kind: 'threw', error: new AdapterError(refused) },
      want: { kind: 'failed', failure: refused },
    },
    {
      because: 'nobody judged it',
      ended: { kind: 'threw', error: new TypeError('cannot read secret hunter2') },
      want: {
        failure: { class: 'transient', reason: 'Unknown', message: 'Internal error; see the controller log' },
      },
      panics: true,
    },
    {
      because: 'it threw no error at all',
      ended: { kind: 'threw', error: undefined },
      want: { failure: { class: 'transient', reason: 'Unknown' } },
      panics: true,
    },
    {
      because: 'it was aborted by somebody, though nobody of us stopped it',
      ended: { kind: 'threw', error: new AdapterError(failure({ class: 'aborted' })) },
      want: { failure: { class: 'transient', reason: 'Unknown' } },
      panics: true,
    },
    {
      because: 'it returned such an abort',
      ended: { kind: 'done', value: failed(failure({ class: 'aborted' })) },
      want: { failure: { class: 'transient', reason: 'Unknown' } },
    },
    {
      because: 'its time was over',
      ended: { kind: 'timedOut', afterMs: 600_000 },
      want: {
        failure: {
          class: 'transient',
          reason: 'ReconcileTimeout',
          message: 'The reconcile did not end within 600 s',
        },
      },
    },
    { because: 'we stopped it', ended: { kind: 'stopped' }, want: { failure: { class: 'aborted' } } },
  ])('is $want when $because', ({ ended, want, panics = false }) => {
    expect(outcomeOf(ended)).toMatchObject(want);
    expect(isPanic(ended)).toBe(panics);
  });
});
