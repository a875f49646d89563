import { defaultObjectPaces } from '@buildkeeper/retry-policy';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { historyFor, withBackoffReset, type History } from './history.ts';
import { failed } from './outcome.ts';
import { summarize } from './summarize.ts';
import { failure, widget } from './testing/widget.ts';

type Step = 'due' | 'event' | 'dependency';

/** Fails once for each step and gives the histories after them. */
function failThrough(steps: readonly Step[], random: () => number): readonly { history: History; delayMs: number }[] {
  const object = widget();
  let history = historyFor(undefined, object);
  let nowMs = 0;
  return steps.map((step) => {
    const isDue = step === 'due';
    if (step === 'dependency') history = withBackoffReset(history);
    nowMs = isDue ? (history.nextAttemptMs ?? nowMs) : nowMs + 1;
    const inputs = { object, history, isDue, nowMs, paces: defaultObjectPaces, refreshIntervalMs: 1000, random };
    const summary = summarize(failed(failure()), inputs);
    ({ history } = summary);
    return { history, delayMs: summary.requeueAfterMs };
  });
}

const draw = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const steps = fc.array(fc.constantFrom<Step>('due', 'event', 'event', 'event', 'dependency'), { maxLength: 200 });

describe('the backoff of an object in a storm of events', () => {
  it('grows by at most one step for each delay that ran out', () => {
    fc.assert(
      fc.property(steps, draw, (all, drawn) => {
        const after = failThrough(all, () => drawn);
        const exponents = after.map(({ history }) => history.exponent ?? 0);
        exponents.forEach((exponent, at) => {
          const before = exponents[at - 1];
          if (all[at] === 'dependency' || before === undefined) expect(exponent).toBe(0);
          else expect(exponent).toBe(before + (all[at] === 'due' ? 1 : 0));
        });
      }),
    );
  });

  it('counts every attempt, and keeps each delay within half and whole of its step and the cap', () => {
    fc.assert(
      fc.property(steps, draw, (all, drawn) => {
        failThrough(all, () => drawn).forEach(({ history, delayMs }, at) => {
          const wholeMs = Math.min(300_000, 1000 * 2 ** (history.exponent ?? 0));
          expect(history.attempts).toBe(at + 1);
          expect(delayMs).toBeGreaterThanOrEqual(wholeMs / 2);
          expect(delayMs).toBeLessThanOrEqual(wholeMs);
        });
      }),
    );
  });
});
