import { type ApiObject, stringAt, valueAt } from './json-value.ts';
import { type ServedResource } from './served-resource.ts';
import { badRequest } from './statuses.ts';

/** Whether an object, in its stored form, is selected. */
export type Selector = (object: ApiObject) => boolean;

type Labels = Readonly<Record<string, string>>;
type LabelTest = (labels: Labels) => boolean;

const labelTerms: readonly (readonly [RegExp, (match: RegExpExecArray) => LabelTest])[] = [
  [
    /^([^\s=!,()]+)\s+in\s+\(([^)]*)\)$/,
    ([, key = '', values = '']) =>
      (labels) =>
        isIn(labels, key, values),
  ],
  [
    /^([^\s=!,()]+)\s+notin\s+\(([^)]*)\)$/,
    ([, key = '', values = '']) =>
      (labels) =>
        !isIn(labels, key, values),
  ],
  [
    /^([^\s=!,()]+)\s*!=\s*([^\s=!,()]*)$/,
    ([, key = '', value]) =>
      (labels) =>
        labels[key] !== value,
  ],
  [
    /^([^\s=!,()]+)\s*==?\s*([^\s=!,()]*)$/,
    ([, key = '', value]) =>
      (labels) =>
        labels[key] === value,
  ],
  [
    /^!\s*([^\s=!,()]+)$/,
    ([, key = '']) =>
      (labels) =>
        !Object.hasOwn(labels, key),
  ],
  [
    /^([^\s=!,()]+)$/,
    ([, key = '']) =>
      (labels) =>
        Object.hasOwn(labels, key),
  ],
];

function isIn(labels: Labels, key: string, values: string): boolean {
  const value = labels[key];
  return value !== undefined && values.split(',').some((candidate) => candidate.trim() === value);
}

/** The selector of a `labelSelector` such as `app=web,tier in (a, b),!old`. Throws 400 when it can't be read. */
export function parseLabelSelector(text: string): Selector {
  // A comma inside parentheses separates values, not terms.
  const terms = text.split(/,(?![^(]*\))/).map((term) => term.trim());
  const tests = terms.filter(Boolean).map(labelTestOf);
  return ({ metadata }) => tests.every((test) => test(metadata.labels ?? {}));
}

function labelTestOf(term: string): LabelTest {
  for (const [pattern, testOf] of labelTerms) {
    const match = pattern.exec(term);
    if (match) return testOf(match);
  }
  throw badRequest(`unable to parse requirement: ${term}`);
}

const metadataFields: Readonly<Record<string, readonly string[]>> = {
  'metadata.name': ['metadata', 'name'],
  'metadata.namespace': ['metadata', 'namespace'],
};

/** The selector of a `fieldSelector` such as `metadata.name=a,type!=b`. Throws 400 for a field that can't be selected by. */
export function parseFieldSelector(text: string, resource: Pick<ServedResource, 'selectableFields'>): Selector {
  const tests = text
    .split(',')
    .filter(Boolean)
    .map((term) => fieldTestOf(term, resource.selectableFields));
  return (object) => tests.every((test) => test(object));
}

function fieldTestOf(term: string, selectable: ServedResource['selectableFields']): Selector {
  const match = /^([^=!]+)(!=|==?)(.*)$/.exec(term);
  if (!match) throw badRequest(`invalid selector: '${term}'; can't understand '${term}'`);
  const [, label = '', operator, value = ''] = match;
  const path = metadataFields[label] ?? selectable[label];
  if (!path) throw badRequest(`field label not supported: ${label}`);
  const isEqual = operator !== '!=';
  return (object) => (fieldText(object, path) === value) === isEqual;
}

function fieldText(object: ApiObject, path: readonly string[]): string {
  const value = valueAt(object, ...path);
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : (stringAt(object, ...path) ?? '');
}

/** The selector that a request's query asks for. Throws 400. */
export function selectorFrom(query: URLSearchParams, resource: ServedResource): Selector {
  const byLabel = parseLabelSelector(query.get('labelSelector') ?? '');
  const byField = parseFieldSelector(query.get('fieldSelector') ?? '', resource);
  return (object) => byLabel(object) && byField(object);
}
