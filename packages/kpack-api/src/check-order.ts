import { type SpecProblem } from './spec-problem.ts';

/** One buildpack of an order as it may be stored. */
interface StoredOrderRef {
  readonly id?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly image?: string;
}

/** An order as it may be stored. */
export type StoredOrder = readonly { readonly group?: readonly StoredOrderRef[] }[];

const holderKinds = ['Buildpack', 'ClusterBuildpack'];
const isGiven = (text: string | undefined): text is string => text !== undefined && text !== '';

type RefCheck = (ref: StoredOrderRef, kinds: readonly string[]) => { part: string; message: string } | undefined;

const imageIsRefused: RefCheck = ({ image }) =>
  isGiven(image)
    ? {
        part: '.image',
        message: 'is not supported: list the image in a ClusterStore or Buildpack, and name its id here',
      }
    : undefined;

const somethingIsNamed: RefCheck = ({ id, kind, name, image }) =>
  [id, kind, name, image].some(isGiven)
    ? undefined
    : { part: '', message: 'names no buildpack: give an id, or the kind and name of the object that holds it' };

const kindIsKnown: RefCheck = ({ kind, name }, kinds) => {
  if (!isGiven(kind) && !isGiven(name)) return undefined;
  if (isGiven(kind) && kinds.includes(kind)) return undefined;
  const found = isGiven(kind) ? `"${kind}"` : 'missing';
  const reason = isGiven(kind) && holderKinds.includes(kind) ? ', since a cluster-wide builder has no namespace' : '';
  return { part: '.kind', message: `is ${found}, and must be ${kinds.join(' or ')}${reason}` };
};

const holderIsNamed: RefCheck = ({ kind, name }) =>
  isGiven(kind) && !isGiven(name) ? { part: '.name', message: `is missing: name the ${kind}` } : undefined;

const refChecks: readonly RefCheck[] = [imageIsRefused, somethingIsNamed, kindIsKnown, holderIsNamed];

const duplicateIds = (field: string, refs: readonly StoredOrderRef[]): readonly SpecProblem[] =>
  refs.flatMap(({ id }, index) => {
    const first = refs.findIndex((other) => other.id === id);
    return !isGiven(id) || first === index
      ? []
      : [{ field: `${field}[${index}].id`, message: `"${id}" is in this group already, at [${first}]: leave one out` }];
  });

const checkGroup = (
  field: string,
  refs: readonly StoredOrderRef[],
  kinds: readonly string[],
): readonly SpecProblem[] => {
  if (refs.length === 0) return [{ field, message: 'is empty: list a buildpack, or leave the group out' }];
  const faults = refs.flatMap((ref, index) =>
    refChecks
      .map((check) => check(ref, kinds))
      .filter((fault) => fault !== undefined)
      .map(({ part, message }) => ({ field: `${field}[${index}]${part}`, message })),
  );
  return [...faults, ...duplicateIds(field, refs)];
};

/** Problems of the order of a builder; `isNamespaced` allows it to refer to Buildpack objects. */
export const checkOrder = (order: StoredOrder | undefined, isNamespaced: boolean): readonly SpecProblem[] => {
  if (order === undefined || order.length === 0) {
    return [{ field: 'spec.order', message: 'is empty: a builder without buildpacks builds nothing; list a group' }];
  }
  const kinds = isNamespaced ? holderKinds : ['ClusterBuildpack'];
  return order.flatMap(({ group }, index) => checkGroup(`spec.order[${index}].group`, group ?? [], kinds));
};
