import { describe, expect, it } from 'vitest';
import { conditionOf, conditionsAfter, type Condition } from './conditions.ts';
import { failed, ready, waitingOn, type Outcome } from './outcome.ts';
import { failure } from './testing/widget.ts';

const nowMs = Date.UTC(2026, 0, 1, 12, 0, 0, 900);
const now = '2026-01-01T12:00:00Z';
const earlier = '2025-12-31T00:00:00Z';
const refused = failure().message;
const waits = 'ClusterStack base does not exist';

const condition = (type: string, status: Condition['status'], reason = 'Succeeded'): Condition => ({
  type,
  status,
  reason,
  lastTransitionTime: earlier,
});
const good = [condition('Ready', 'True'), condition('UpToDate', 'True')];
const brokenOnce = [condition('Ready', 'False', 'RegistryTimeout'), condition('UpToDate', 'False', 'RegistryTimeout')];
const stale = [condition('Ready', 'True'), condition('UpToDate', 'False', 'RegistryTimeout')];

/** `Type=Status/Reason: message @ transition`, one a line. */
const lines = (outcome: Outcome<object>, previous: readonly Condition[]) =>
  conditionsAfter(outcome, { previous, nowMs }).map(
    ({ type, status, reason = '', message, lastTransitionTime = '' }) =>
      `${type}=${status}/${reason}${message === undefined ? '' : `: ${message}`} @ ${lastTransitionTime}`,
  );

describe('conditionsAfter', () => {
  it.each([
    {
      because: 'waiting with nothing built yet',
      outcome: waitingOn(waits),
      previous: [],
      want: [
        `Ready=Unknown/DependencyNotReady: ${waits} @ ${now}`,
        `UpToDate=Unknown/DependencyNotReady: ${waits} @ ${now}`,
        `Reconciling=True/DependencyNotReady: ${waits} @ ${now}`,
      ],
    },
    {
      because: 'failed with nothing built yet',
      outcome: failed(failure()),
      previous: [],
      want: [
        `Ready=False/RegistryUnavailable: ${refused} @ ${now}`,
        `UpToDate=False/RegistryUnavailable: ${refused} @ ${now}`,
        `Reconciling=True/RegistryUnavailable: ${refused} @ ${now}`,
      ],
    },
    {
      because: 'failed again for another reason with nothing built yet',
      outcome: failed(failure()),
      previous: brokenOnce,
      want: [
        `Ready=False/RegistryUnavailable: ${refused} @ ${earlier}`,
        `UpToDate=False/RegistryUnavailable: ${refused} @ ${earlier}`,
        `Reconciling=True/RegistryUnavailable: ${refused} @ ${now}`,
      ],
    },
    {
      because: 'failed with an earlier good result',
      outcome: failed(failure()),
      previous: good,
      want: [
        `Ready=True/Succeeded @ ${earlier}`,
        `UpToDate=False/RegistryUnavailable: ${refused} @ ${now}`,
        `Reconciling=True/RegistryUnavailable: ${refused} @ ${now}`,
      ],
    },
    {
      because: 'waiting with an earlier good result',
      outcome: waitingOn(waits),
      previous: stale,
      want: [
        `Ready=True/Succeeded @ ${earlier}`,
        `UpToDate=False/DependencyNotReady: ${waits} @ ${earlier}`,
        `Reconciling=True/DependencyNotReady: ${waits} @ ${now}`,
      ],
    },
    {
      because: 'good after a failure',
      outcome: ready({}),
      previous: [...stale, condition('Reconciling', 'True', 'RegistryTimeout')],
      want: [`Ready=True/Succeeded @ ${earlier}`, `UpToDate=True/Succeeded @ ${now}`],
    },
    {
      because: 'a spec that cannot be acted upon, which is the only thing that stalls',
      outcome: failed(failure({ class: 'invalid', reason: 'SpecInvalid', message: 'spec.tag: no reference' })),
      previous: good,
      want: [
        `Ready=True/Succeeded @ ${earlier}`,
        `UpToDate=False/SpecInvalid: spec.tag: no reference @ ${now}`,
        `Stalled=True/SpecInvalid: spec.tag: no reference @ ${now}`,
      ],
    },
    {
      because: 'partial results that are complete enough to be used',
      outcome: failed(failure(), { isUsable: true }),
      previous: brokenOnce,
      want: [
        `Ready=True/Succeeded @ ${now}`,
        `UpToDate=False/RegistryUnavailable: ${refused} @ ${earlier}`,
        `Reconciling=True/RegistryUnavailable: ${refused} @ ${now}`,
      ],
    },
    {
      because: 'kpack wrote a Ready condition without a reason, and no UpToDate',
      outcome: failed(failure()),
      previous: [{ type: 'Ready', status: 'True' as const }],
      want: [
        `Ready=True/Succeeded @ ${now}`,
        `UpToDate=False/RegistryUnavailable: ${refused} @ ${now}`,
        `Reconciling=True/RegistryUnavailable: ${refused} @ ${now}`,
      ],
    },
  ])('are those of: $because', ({ outcome, previous, want }) => {
    expect(lines(outcome, previous)).toEqual(want);
  });

  it('keep the conditions of others', () => {
    const theirs = condition('Signed', 'True', 'Verified');
    const after = conditionsAfter(ready({}), { previous: [theirs, ...good], nowMs });
    expect(conditionOf(after, 'Signed')).toEqual(theirs);
  });

  it('are unchanged, times and all, when the same good outcome comes again', () => {
    expect(conditionsAfter(ready({}), { previous: good, nowMs })).toEqual(good);
  });
});
