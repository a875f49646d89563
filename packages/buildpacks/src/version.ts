import semver from 'semver';

/** Longer texts are no versions that anybody means. */
const maxLength = 256;
const shape = /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/;

/**
 * Orders versions of a buildpack, oldest first, as a sort function does. Semantic versions are read tolerantly
 * (`1`, `1.2`, `v1.2.3`, leading zeros; build metadata is ignored). Anything else is older than each of them, and
 * ordered by its text. Never throws.
 */
export function compareVersions(a: string, b: string): number {
  const left = semanticVersion(a);
  const right = semanticVersion(b);
  if (left !== undefined && right !== undefined) return semver.compare(left, right);
  if (left === undefined && right === undefined) return compareTexts(a, b);
  return left === undefined ? -1 : 1;
}

/** Orders texts by their code units: the same on every machine, unlike an order by language. */
export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function semanticVersion(text: string): semver.SemVer | undefined {
  const parts = text.length > maxLength ? null : shape.exec(text);
  if (parts === null) return undefined;
  const numbers: readonly (string | undefined)[] = parts.slice(1, 4);
  const core = numbers.map((digits = '0') => digits.replace(/^0+(?=\d)/, '')).join('.');
  return semver.parse(`${core}${parts[4] ?? ''}`) ?? undefined;
}
