/** A version of the Buildpack or Platform API. */
export interface ApiVersion {
  readonly major: number;
  readonly minor: number;
}

/**
 * Reads `0.10`, `1` or `v1.2`. Undefined for anything else.
 *
 * @see https://github.com/buildpacks/spec#api-versions
 */
export function parseApiVersion(text: string): ApiVersion | undefined {
  const parts = /^v?(\d{1,6})(?:\.(\d{1,6}))?$/.exec(text);
  return parts === null ? undefined : { major: Number(parts[1]), minor: Number(parts[2] ?? 0) };
}

/** Orders API versions by number, `0.9` before `0.10`; what is no version comes first, by its text. */
export function compareApiVersions(a: string, b: string): number {
  const left = parseApiVersion(a) ?? { major: -1, minor: 0 };
  const right = parseApiVersion(b) ?? { major: -1, minor: 0 };
  return left.major - right.major || left.minor - right.minor || (a < b ? -1 : Number(a > b));
}

/** Whether one of the offered versions serves the wanted one: equal below 1.0, else the same major and at least its minor. */
export function isApiOffered(wanted: string, offered: readonly string[]): boolean {
  const want = parseApiVersion(wanted);
  if (want === undefined) return false;
  return offered.some((text) => {
    const offer = parseApiVersion(text);
    if (offer?.major !== want.major) return false;
    return want.major === 0 ? offer.minor === want.minor : offer.minor >= want.minor;
  });
}
