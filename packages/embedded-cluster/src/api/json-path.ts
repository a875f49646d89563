import { isRecord } from './json-value.ts';

/** One step of a path: a field, an index, everything, or the items whose field equals (or differs from) a literal. */
export type JsonPathStep =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'all' }
  | { readonly kind: 'filter'; readonly path: readonly string[]; readonly isEqual: boolean; readonly literal: unknown };

const stepPatterns: readonly (readonly [RegExp, (match: RegExpExecArray) => JsonPathStep])[] = [
  [/^\[\?\(\s*@((?:\.[\w-]+)+)\s*(==|!=)\s*("[^"]*"|'[^']*'|[^)\s]+)\s*\)\]/, filterStep],
  [/^\[(-?\d+)\]/, (match) => ({ kind: 'index', index: Number(match[1]) })],
  [/^(?:\[\*\]|\.\*)/, () => ({ kind: 'all' })],
  [/^\[(?:'([^']*)'|"([^"]*)")\]/, (match) => ({ kind: 'field', name: match[1] ?? match[2] ?? '' })],
  [/^\.((?:\\.|[^.[\]\\])+)/, (match) => ({ kind: 'field', name: (match[1] ?? '').replaceAll(/\\(.)/g, '$1') })],
];

function filterStep(match: RegExpExecArray): JsonPathStep {
  const [, path = '', operator, literal = ''] = match;
  return { kind: 'filter', path: path.slice(1).split('.'), isEqual: operator === '==', literal: literalOf(literal) };
}

function literalOf(text: string): unknown {
  if (/^["']/.test(text)) return text.slice(1, -1);
  if (text === 'true' || text === 'false') return text === 'true';
  return Number(text);
}

/**
 * The steps of a path such as `.status.conditions[?(@.type=="Ready")].status`. Throws an Error that quotes what can't be read.
 *
 * @see https://kubernetes.io/docs/reference/kubectl/jsonpath/
 */
export function parseJsonPath(path: string): readonly JsonPathStep[] {
  const steps: JsonPathStep[] = [];
  let rest = path.replace(/^\$/, '');
  while (rest) {
    const step = nextStep(rest);
    if (!step) throw new Error(`Cannot read the JSONPath ${path} at ${rest}`);
    steps.push(step.step);
    rest = rest.slice(step.length);
  }
  return steps;
}

function nextStep(rest: string): { step: JsonPathStep; length: number } | undefined {
  for (const [pattern, stepOf] of stepPatterns) {
    const match = pattern.exec(rest);
    if (match) return { step: stepOf(match), length: match[0].length };
  }
  return undefined;
}

/** Every value that the steps lead to, in order; none where a step finds nothing. */
export function findJsonPath(root: unknown, steps: readonly JsonPathStep[]): readonly unknown[] {
  return steps.reduce<readonly unknown[]>((values, step) => values.flatMap((value) => follow(value, step)), [root]);
}

function follow(value: unknown, step: JsonPathStep): readonly unknown[] {
  switch (step.kind) {
    case 'field':
      return isRecord(value) && Object.hasOwn(value, step.name) ? [value[step.name]] : [];
    case 'index': {
      const item: unknown = Array.isArray(value) ? value.at(step.index) : undefined;
      return item === undefined ? [] : [item];
    }
    case 'all':
      if (Array.isArray(value)) return value as unknown[];
      return isRecord(value) ? Object.values(value) : [];
    case 'filter':
      return Array.isArray(value) ? value.filter((item) => passes(item, step)) : [];
  }
}

function passes(item: unknown, { path, isEqual, literal }: Extract<JsonPathStep, { kind: 'filter' }>): boolean {
  const found = findJsonPath(
    item,
    path.map((name) => ({ kind: 'field', name })),
  );
  return found.length > 0 && (found[0] === literal) === isEqual;
}

/** The field names of a path that has nothing but fields. */
export function plainSteps(steps: readonly JsonPathStep[]): readonly string[] {
  return steps.flatMap((step) => (step.kind === 'field' ? [step.name] : []));
}
