/** The age of a time as `kubectl` shows it: `5s`, `3m20s`, `4h`, `2d3h`. A time ahead, or none that can be read, is said so. */
export function ageOf(time: string | undefined, nowMs: number): string {
  if (time === undefined) return '<unknown>';
  const since = Date.parse(time);
  return Number.isNaN(since) ? '<invalid>' : humanDuration(nowMs - since);
}

/**
 * A duration in at most two units, coarser as it grows, as kubectl's columns have it.
 *
 * @see https://github.com/kubernetes/apimachinery/blob/master/pkg/util/duration/duration.go
 */
export function humanDuration(durationMs: number): string {
  const seconds = Math.trunc(durationMs / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  const [minutes, hours, days] = [60, 3600, 86_400].map((unit) => Math.floor(seconds / unit)) as [
    number,
    number,
    number,
  ];
  if (seconds < 120) return `${seconds}s`;
  if (minutes < 10) return two(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  if (hours < 8) return two(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  if (hours < 192) return two(days, 'd', hours % 24, 'h');
  if (days < 730) return `${days}d`;
  const years = Math.floor(days / 365);
  return days < 8 * 365 ? two(years, 'y', days % 365, 'd') : `${years}y`;
}

function two(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit}${small}${smallUnit}`;
}
