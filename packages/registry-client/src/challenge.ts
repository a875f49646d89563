/** One authentication scheme that a server offers, with its parameters. */
export interface Challenge {
  /** In lower case, for instance `bearer`. */
  readonly scheme: string;
  /** Names in lower case. */
  readonly parameters: ReadonlyMap<string, string>;
}

const token = /[!#$%&'*+\-.^_`|~0-9A-Za-z]+/y;
const token68 = /[A-Za-z0-9\-._~+/]+=*(?=[ \t]*(?:,|$))/y;
const quoted = /"((?:[^"\\]|\\.)*)"/sy;
const separators = /[ \t,]*/y;
const spaces = /[ \t]*/y;
const equals = /[ \t]*=[ \t]*/y;

/** Longer headers are cut: no honest challenge comes near. */
const maxHeaderLength = 16 * 1024;

/**
 * Reads the value of a WWW-Authenticate header: one or more challenges, in the order given. What can't be read ends
 * the reading; what was read until there counts. Never throws, and needs time linear in the length of the header.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#field.www-authenticate
 */
export function parseChallenges(header: string): readonly Challenge[] {
  const text = header.slice(0, maxHeaderLength);
  const challenges: { scheme: string; parameters: Map<string, string> }[] = [];
  let position = skip(separators, text, 0);
  while (position < text.length) {
    const name = take(token, text, position);
    if (name === undefined) break;
    const parameter = parameterAt(text, position, name);
    const current = challenges.at(-1);
    if (parameter !== undefined && current !== undefined) {
      // The first of two equal names wins, as everywhere in HTTP where the order is not to be trusted.
      const key = name.toLowerCase();
      if (!current.parameters.has(key)) current.parameters.set(key, parameter.value);
      position = skip(separators, text, parameter.end);
    } else {
      challenges.push({ scheme: name.toLowerCase(), parameters: new Map() });
      position = skipToken68(text, skip(spaces, text, position + name.length));
      position = skip(separators, text, position);
    }
  }
  return challenges;
}

/** What {@link usableChallenge} understood of a 401. */
export type UsableChallenge =
  | { readonly scheme: 'bearer'; readonly realm: string; readonly service: string; readonly scope: string }
  | { readonly scheme: 'basic' };

/** The challenge to obey: the first Bearer with a realm, else Basic, else none. */
export function usableChallenge(challenges: readonly Challenge[]): UsableChallenge | undefined {
  for (const { scheme, parameters } of challenges) {
    const realm = parameters.get('realm');
    if (scheme !== 'bearer' || realm === undefined) continue;
    return { scheme: 'bearer', realm, service: parameters.get('service') ?? '', scope: parameters.get('scope') ?? '' };
  }
  return challenges.some(({ scheme }) => scheme === 'basic') ? { scheme: 'basic' } : undefined;
}

function parameterAt(text: string, start: number, name: string): { value: string; end: number } | undefined {
  const afterName = start + name.length;
  const valueStart = skip(equals, text, afterName);
  if (valueStart === afterName) return undefined;
  quoted.lastIndex = valueStart;
  const match = quoted.exec(text);
  if (match !== null) return { value: (match[1] ?? '').replace(/\\(.)/gs, '$1'), end: quoted.lastIndex };
  const value = take(token, text, valueStart);
  return value === undefined ? undefined : { value, end: valueStart + value.length };
}

/** Skips the single value that some schemes have instead of parameters, unless it is the name of a parameter. */
function skipToken68(text: string, position: number): number {
  const value = take(token68, text, position);
  if (value === undefined || text[position - 1] === ',') return position;
  return position + value.length;
}

function take(pattern: RegExp, text: string, position: number): string | undefined {
  pattern.lastIndex = position;
  return pattern.exec(text)?.[0];
}

function skip(pattern: RegExp, text: string, position: number): number {
  return position + (take(pattern, text, position)?.length ?? 0);
}
