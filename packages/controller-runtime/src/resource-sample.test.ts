import { describe, expect, it } from 'vitest';
import { resourceSample } from './resource-sample.ts';
import { widget } from './testing/widget.ts';

const retry = {
  class: 'auth',
  reason: 'AuthenticationFailed',
  attempts: 1,
  firstFailureTime: '2026-01-01T00:00:00Z',
  nextAttemptTime: '2026-01-01T00:00:30Z',
  waitingFor: 'Backoff',
};
const ready = (status: string, reason?: string) => ({ conditions: [{ type: 'Ready', status, reason }] });

describe('resourceSample', () => {
  it.each([
    { because: 'was never looked at', status: undefined, want: { ready: 'Unknown', reason: 'Unknown' } },
    { because: 'is well', status: ready('True', 'Succeeded'), want: { ready: 'True', reason: 'Succeeded' } },
    {
      because: 'is well and cannot be read again',
      status: { ...ready('True', 'Succeeded'), retry },
      want: { ready: 'True', reason: 'Succeeded', backoffClass: 'auth' },
    },
    {
      because: 'waits',
      status: ready('Unknown', 'DependencyNotReady'),
      want: { ready: 'Unknown', reason: 'DependencyNotReady' },
    },
    { because: 'kpack judged well', status: ready('True'), want: { ready: 'True', reason: 'Succeeded' } },
    {
      because: 'kpack judged ill',
      status: ready('False', 'NoLatestImage'),
      want: { ready: 'False', reason: 'Unknown' },
    },
  ])('counts an object that $because', ({ status, want }) => {
    expect(resourceSample(widget({ status }))).toEqual({ backoffClass: undefined, ...want });
  });
});
