import { quoted } from './errors.ts';

/** A value inside a JSON document that nobody vouches for, and how to say where it stands. */
export interface JsonPlace {
  readonly value: unknown;
  /** Steps from the top, such as `/samples~1java/1.0.0/api`. */
  readonly path: string;
  /** Makes the error that names the document, from a detail. */
  readonly reject: Reject;
}

/** Makes an error that names a document from what is wrong in it. */
export type Reject = (detail: string, cause?: unknown) => Error;

/** More than any real label holds: the largest builder known has some 200 KiB. */
const maxBytes = 1024 * 1024;
/** Orders inside layers inside versions need six. */
const maxNesting = 32;

/** Parses a document after bounding its size and its nesting. Throws what `reject` makes, here and in everything below. */
export function parseJson(text: string, reject: Reject): JsonPlace {
  if (Buffer.byteLength(text) > maxBytes) throw reject(`is larger than ${maxBytes} bytes`);
  if (nestingOf(text) > maxNesting) throw reject(`is nested deeper than ${maxNesting} levels`);
  try {
    return { value: JSON.parse(text) as unknown, path: '', reject };
  } catch (error) {
    throw reject('is not JSON', error);
  }
}

/** Error that names the document, the place in it, and what is wrong there. */
export function problemAt(place: JsonPlace, detail: string): Error {
  return place.reject(place.path === '' ? detail : `at ${quoted(place.path)} ${detail}`);
}

/** A member of an object. A member that is absent, or an object that is null, gives a place with an undefined value. */
export function member(place: JsonPlace, key: string): JsonPlace {
  const record = recordAt(place);
  return below(place, key, record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined);
}

/** Every member of an object with its key; none when it is absent or null. */
export function members(place: JsonPlace): readonly (readonly [string, JsonPlace])[] {
  return Object.entries(recordAt(place) ?? {}).map(([key, value]) => [key, below(place, key, value)]);
}

/** Every item of an array; none when it is absent or null, as Go writes an empty list. */
export function items(place: JsonPlace): readonly JsonPlace[] {
  if (isNothing(place.value)) return [];
  if (!Array.isArray(place.value)) throw wrongType(place, 'an array');
  return place.value.map((value: unknown, index) => below(place, String(index), value));
}

/** A text that may be absent, null or empty: all three mean that nobody said anything. */
export function optionalText(place: JsonPlace): string | undefined {
  if (isNothing(place.value) || place.value === '') return undefined;
  if (typeof place.value !== 'string') throw wrongType(place, 'a string');
  return place.value;
}

/** A text that must be there. */
export function requiredText(place: JsonPlace): string {
  const text = optionalText(place);
  if (text === undefined) throw problemAt(place, 'is missing or empty');
  return text;
}

/** A boolean; absent or null is false. */
export function flag(place: JsonPlace): boolean {
  if (isNothing(place.value)) return false;
  if (typeof place.value !== 'boolean') throw wrongType(place, 'true or false');
  return place.value;
}

function recordAt(place: JsonPlace): Record<string, unknown> | undefined {
  if (isNothing(place.value)) return undefined;
  if (typeof place.value !== 'object' || Array.isArray(place.value)) throw wrongType(place, 'an object');
  return place.value as Record<string, unknown>;
}

function below(place: JsonPlace, key: string, value: unknown): JsonPlace {
  const step = key.replaceAll('~', '~0').replaceAll('/', '~1');
  return { value, path: `${place.path}/${step}`, reject: place.reject };
}

function wrongType(place: JsonPlace, wanted: string): Error {
  return problemAt(place, `is not ${wanted}`);
}

function isNothing(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

/** Deepest nesting of brackets outside of strings. Counted before parsing, so that no recursion sees a hostile depth. */
function nestingOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (isInString) {
      if (character === '\\') at += 1;
      else if (character === '"') isInString = false;
    } else if (character === '"') isInString = true;
    else if (character === '{' || character === '[') deepest = Math.max(deepest, (depth += 1));
    else if (character === '}' || character === ']') depth -= 1;
  }
  return deepest;
}
