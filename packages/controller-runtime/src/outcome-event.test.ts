import { describe, expect, it } from 'vitest';
import { failed, ready, waitingOn } from './outcome.ts';
import { outcomeEvent } from './outcome-event.ts';
import { failure, widget } from './testing/widget.ts';

const told = (status: string, reason?: string) =>
  widget({ status: { conditions: [{ type: 'UpToDate', status, ...(reason === undefined ? {} : { reason }) }] } });
const refused = failure();

describe('outcomeEvent', () => {
  it.each([
    { because: 'the first failure', object: widget(), outcome: failed(refused), want: 'Warning RegistryUnavailable' },
    {
      because: 'the same failure again',
      object: told('False', 'RegistryUnavailable'),
      outcome: failed(refused),
      want: undefined,
    },
    {
      because: 'another failure',
      object: told('False', 'RegistryTimeout'),
      outcome: failed(refused),
      want: 'Warning RegistryUnavailable',
    },
    {
      because: 'a failure after a good time',
      object: told('True', 'Succeeded'),
      outcome: failed(refused),
      want: 'Warning RegistryUnavailable',
    },
    { because: 'the first wait', object: widget(), outcome: waitingOn('x'), want: 'Normal DependencyNotReady' },
    {
      because: 'the same wait',
      object: told('Unknown', 'DependencyNotReady'),
      outcome: waitingOn('y'),
      want: undefined,
    },
    { because: 'the first success', object: widget(), outcome: ready({}), want: 'Normal Succeeded' },
    { because: 'a success like the last', object: told('True', 'Succeeded'), outcome: ready({}), want: undefined },
    { because: 'a success that kpack had told', object: told('True'), outcome: ready({}), want: undefined },
    { because: 'a recovery', object: told('False', 'RegistryError'), outcome: ready({}), want: 'Normal Succeeded' },
  ])('is $want for $because', ({ object, outcome, want }) => {
    const { event } = outcomeEvent(outcome, { object, attempts: 1, outageMs: 1000 });
    expect(event && `${event.type} ${event.reason}`).toBe(want);
  });

  it.each([
    { outageMs: 1000, attempts: 1, note: 'Up to date again after 1s and 1 failed attempt' },
    { outageMs: 3_725_000, attempts: 30, note: 'Up to date again after 1h2m5s and 30 failed attempts' },
    { outageMs: 3_600_000, attempts: 2, note: 'Up to date again after 1h and 2 failed attempts' },
    { outageMs: 120, attempts: 2, note: 'Up to date again after less than a second and 2 failed attempts' },
    { outageMs: 4000, attempts: 0, note: 'Up to date again after 4s' },
    { outageMs: undefined, attempts: 0, note: 'Up to date' },
  ])('says of a success: $note', ({ outageMs, attempts, note }) => {
    const { event } = outcomeEvent(ready({}), { object: told('False', 'RegistryError'), attempts, outageMs });
    expect(event?.note).toBe(note);
  });
});
