/** The least and the most that a Retry-After may make us wait; anything else is moved to the nearer end. */
export const retryAfterRangeMs = { min: 1000, max: 60 * 60 * 1000 } as const;

/**
 * What a Retry-After header asks for, in milliseconds from now, clamped to {@link retryAfterRangeMs}.
 * Seconds (decimals too) and HTTP dates are understood; a date is measured against the response's own `Date`,
 * because the two clocks may differ. Garbage, such as a duration with a unit, gives undefined.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#field.retry-after
 */
export function parseRetryAfterMs(
  retryAfter: string | undefined,
  responseDate: string | undefined,
  nowMs: number,
): number | undefined {
  const text = retryAfter?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(text)) return clampMs(Number(text) * 1000);
  // Only the shape of an HTTP date: Date.parse reads far too much, `880.092` among it.
  if (!/^[A-Z][a-z]+,? /.test(text)) return undefined;
  const untilMs = Date.parse(text);
  if (Number.isNaN(untilMs)) return undefined;
  const sentMs = Date.parse(responseDate ?? '');
  return clampMs(untilMs - (Number.isNaN(sentMs) ? nowMs : sentMs));
}

function clampMs(delayMs: number): number {
  return Math.min(retryAfterRangeMs.max, Math.max(retryAfterRangeMs.min, delayMs));
}
