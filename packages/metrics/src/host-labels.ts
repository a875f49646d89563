/** Value of the label `host` for every host beyond the bound. */
const otherHosts = 'other';

/**
 * Gives the value of the label `host`, so that the number of series stays bounded: the reserved hosts, then the first
 * ones seen up to `limit` in all, then `other`. A host keeps the answer it got first.
 */
export function createHostLabels(limit: number, reserved: readonly string[] = []): (host: string) => string {
  const known = new Set(reserved);
  return (host) => {
    if (known.has(host)) return host;
    if (known.size >= limit) return otherHosts;
    known.add(host);
    return host;
  };
}
