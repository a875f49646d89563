const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/**
 * A duration as Kubernetes writes it (`500ms`, `1m30s`, `1.5h`) in milliseconds; undefined when the text is none.
 * A bare number is none, because it does not say of what; parts of a millisecond are rounded.
 */
export function parseDurationMs(text: string): number | undefined {
  if (text === '0') return 0;
  if (!/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(text)) return undefined;
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)];
  return Math.round(parts.reduce((sum, [, count, unit]) => sum + Number(count) * (unitMs[unit ?? ''] ?? 0), 0));
}

/** Milliseconds as Kubernetes writes a duration, in the largest units that fit: 90000 is `1m30s`. */
export function formatDuration(ms: number): string {
  const parts = [
    [Math.floor(ms / 3_600_000), 'h'],
    [Math.floor(ms / 60_000) % 60, 'm'],
    [Math.floor(ms / 1000) % 60, 's'],
    [ms % 1000, 'ms'],
  ] as const;
  const text = parts.flatMap(([count, unit]) => (count > 0 ? [`${count}${unit}`] : [])).join('');
  return text === '' ? '0s' : text;
}
