import { parseSamples, sumOf, type Sample } from './metrics-text.ts';
import type { ActResult } from './story.ts';

/** What one controller counted. */
export interface ControllerCounts {
  readonly controller: string;
  readonly reconcileRetries: number;
  readonly reconcileBackoffs: number;
  readonly requestRetries: number;
  readonly requestBackoffs: number;
  readonly backoffSeconds: number;
  readonly reasons: readonly string[];
  /** Requests to the registry that got no answer, or one of the status given to {@link countsOf}. */
  readonly failedRequests: number;
}

/** Reads the counts of one controller from its `/metrics`; `failureCodes` are the codes that count as failed. */
export function countsOf(controller: string, metrics: string, failureCodes: readonly string[]): ControllerCounts {
  const samples = parseSamples(metrics);
  const ofLayer = (name: string, layer: string) => sumOf(samples, name, { controller, layer });
  return {
    controller,
    reconcileRetries: ofLayer('buildkeeper_retries_total', 'reconcile'),
    reconcileBackoffs: ofLayer('buildkeeper_backoff_duration_seconds_count', 'reconcile'),
    requestRetries: ofLayer('buildkeeper_retries_total', 'request'),
    requestBackoffs: ofLayer('buildkeeper_backoff_duration_seconds_count', 'request'),
    backoffSeconds: ofLayer('buildkeeper_backoff_duration_seconds_sum', 'reconcile'),
    reasons: reasonsOf(samples),
    failedRequests: failureCodes.reduce(
      (sum, code) => sum + sumOf(samples, 'buildkeeper_registry_requests_total', { code }),
      0,
    ),
  };
}

/** What was not as promised in the counts, a sentence each. `seenFailures` is what the proxy saw; undefined: unknown. */
export function countFaults(counts: readonly ControllerCounts[], seenFailures: number | undefined): string[] {
  const faults = counts.flatMap((one) => [
    ...unequal(`${one.controller}: retries between reconciles`, one.reconcileRetries, one.reconcileBackoffs),
    ...unequal(`${one.controller}: retries of requests`, one.requestRetries, one.requestBackoffs),
  ]);
  if (seenFailures === undefined) return faults;
  const counted = counts.reduce((sum, one) => sum + one.failedRequests, 0);
  return counted === seenFailures
    ? faults
    : [...faults, `the controllers counted ${counted} failed requests, the proxy saw ${seenFailures}`];
}

/** The summary that ends the story, line by line. */
export function summaryLines(acts: readonly ActResult[], counts: readonly ControllerCounts[]): string[] {
  return [
    ...acts.map((act) => `${act.name}: down for ${secondsOf(act.downMs)}, ${recoveryOf(act)}`),
    ...counts.map(
      (one) =>
        `${one.controller.padEnd(15)} ${String(one.reconcileRetries)} retries after back-offs of ` +
        `${one.backoffSeconds.toFixed(1)} s in all, ${String(one.requestRetries)} requests repeated in place` +
        (one.reasons.length > 0 ? ` (${one.reasons.join(', ')})` : ''),
    ),
  ];
}

function recoveryOf(act: ActResult): string {
  if (act.recoveredAfterMs === undefined) return 'NOT everything came back in time';
  return `everything Ready ${secondsOf(act.recoveredAfterMs)} after the registry's return, untouched`;
}

function reasonsOf(samples: readonly Sample[]): string[] {
  const counted = samples.filter((one) => one.name === 'buildkeeper_retries_total' && one.value > 0);
  return [...new Set(counted.map((one) => one.labels['reason'] ?? ''))].sort();
}

function unequal(what: string, retries: number, backoffs: number): string[] {
  return retries === backoffs ? [] : [`${what}: ${retries} in the counter, ${backoffs} in the histogram`];
}

function secondsOf(durationMs: number): string {
  return `${(durationMs / 1000).toFixed(1)} s`;
}
