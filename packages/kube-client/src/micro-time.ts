/** A Kubernetes MicroTime, `2026-01-01T00:00:00.000000Z`: six digits always, for older servers refuse fewer. */
export function microTime(atMs: number): string {
  return new Date(atMs).toISOString().replace('Z', '000Z');
}
