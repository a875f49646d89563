import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readStatus } from './object-status.ts';

const retry = {
  class: 'auth',
  reason: 'AuthenticationFailed',
  attempts: 2,
  firstFailureTime: '2026-01-01T00:00:00Z',
  nextAttemptTime: '2026-01-01T00:01:00Z',
  waitingFor: 'Backoff',
};

describe('readStatus', () => {
  it('tells the runtime’s part from the resolved one', () => {
    const conditions = [{ type: 'Ready', status: 'True' }];
    const status = {
      conditions,
      retry,
      observedGeneration: 3,
      lastHandledReconcileAt: 'x',
      latestImage: 'i',
      order: [],
    };
    expect(readStatus(status)).toEqual({
      conditions,
      retry,
      observedGeneration: 3,
      lastHandledReconcileAt: 'x',
      resolved: { latestImage: 'i', order: [] },
    });
  });

  it.each([
    { because: 'a class of its own', part: { class: 'fatal' } },
    { because: 'a reason of its own', part: { reason: 'NoLatestImage' } },
    { because: 'a time that is none', part: { nextAttemptTime: 'soon' } },
    { because: 'half an attempt', part: { attempts: 0.5 } },
  ])('takes a retry with $because for none', ({ part }) => {
    expect(readStatus({ retry: { ...retry, ...part } }).retry).toBeUndefined();
  });

  it('stands anything that another program may have written', () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), (whole, part) => {
        expect(readStatus(whole).conditions).toBeInstanceOf(Array);
        const status = readStatus({ conditions: part, retry: part, observedGeneration: part });
        expect(status.conditions.every(({ type }) => typeof type === 'string')).toBe(true);
      }),
    );
  });
});
