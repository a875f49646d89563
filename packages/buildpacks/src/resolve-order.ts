import { type BuilderOrderEntry, type BuilderOrderRef, type OrderEntry } from '@buildkeeper/kpack-api';
import {
  candidateName,
  offerOf,
  sourceImageOf,
  type BuildpackSource,
  type Candidate,
  type Offer,
} from './buildpack-source.ts';
import { imageInvalid, quoted, specInvalid } from './errors.ts';
import { pickById, resolveReference, type LookUp } from './resolve-reference.ts';

/** A buildpack that goes into the builder. */
export interface ResolvedBuildpack extends Candidate {
  /** Whether every way from the order down to it passes something optional. */
  readonly isOptional: boolean;
}

/** The order of a builder with every version found, and all that has to be in the image for it. */
export interface ResolvedOrder {
  readonly order: OrderEntry[];
  /** Each `id@version` once, the ones inside of others included, what is contained before what contains it. */
  readonly buildpacks: readonly ResolvedBuildpack[];
  /** What works and is hardly meant so; each a sentence for a person. */
  readonly warnings: readonly string[];
}

/** Deepest chain of buildpacks inside of buildpacks; known ones have three. */
const maxDepth = 32;

/**
 * Finds the buildpacks that an order asks for. The result depends on what the sources offer alone, not on their
 * sequence. Throws BuildpackError: reason BuildpackNotFound with `missing` when something isn't offered.
 */
export function resolveOrder(order: readonly BuilderOrderEntry[], sources: readonly BuildpackSource[]): ResolvedOrder {
  const lookUp: LookUp = { sources, offer: offerOf(sources) };
  const groups = order.map((entry) => (entry.group ?? []).map((reference) => resolveMember(reference, lookUp)));
  if (groups.length === 0 || groups.some((group) => group.length === 0)) {
    throw specInvalid('The order is empty or has an empty group: such a builder could build nothing');
  }
  const tops = groups.flat();
  const tree = expandTree(tops, lookUp.offer);
  const required = requiredNames(tops, tree);
  return {
    order: groups.map((group) => ({ group: group.map(groupEntryOf) })),
    buildpacks: [...tree.values()].map(({ candidate }) => ({
      ...candidate,
      isOptional: !required.has(candidateName(candidate)),
    })),
    warnings: [...duplicateWarnings(tree, lookUp.offer), ...groups.flatMap(groupWarnings)],
  };
}

interface Member {
  readonly candidate: Candidate;
  readonly isOptional: boolean;
  /** Whether the spec names the object that it must come from. */
  readonly isExplicit: boolean;
}

interface Node {
  readonly candidate: Candidate;
  readonly members: readonly Member[];
}

function resolveMember(reference: BuilderOrderRef, lookUp: LookUp): Member {
  return {
    candidate: resolveReference(reference, lookUp),
    isOptional: reference.optional === true,
    isExplicit: (reference.name ?? '') !== '',
  };
}

function groupEntryOf({ candidate, isOptional }: Member): NonNullable<OrderEntry['group']>[number] {
  return { id: candidate.id, version: candidate.version, ...(isOptional && { optional: true }) };
}

/** Every buildpack that is reached, by `id@version`, members first. */
function expandTree(tops: readonly Member[], offer: Offer): ReadonlyMap<string, Node> {
  const explicit = new Map(
    tops.filter((top) => top.isExplicit).map(({ candidate }) => [candidateName(candidate), candidate]),
  );
  const tree = new Map<string, Node>();
  const expand = (member: Member, trail: readonly string[]): void => {
    const name = candidateName(member.candidate);
    if (trail.includes(name)) throw cycleOf(member.candidate, [...trail, name]);
    if (tree.has(name)) return;
    // Where the spec names an object, its content counts for every mention of that buildpack.
    const candidate = explicit.get(name) ?? member.candidate;
    if (trail.length >= maxDepth) throw imageInvalid(sourceImageOf(candidate), `its order is deeper than ${maxDepth}`);
    const members = membersOf(candidate, offer);
    for (const one of members) expand(one, [...trail, name]);
    tree.set(name, { candidate, members });
  };
  for (const top of tops) expand(top, []);
  return tree;
}

/** Members are looked up in all sources, since a package need not carry what it refers to. */
function membersOf(parent: Candidate, offer: Offer): readonly Member[] {
  const references = (parent.entry.order ?? []).flatMap((entry) => entry.group ?? []);
  const otherwise = `is needed by ${quoted(candidateName(parent))} and offered by no source`;
  return references.map(({ id, version, optional }) => ({
    candidate: pickById(offer.get(id), id, version === '' ? undefined : version, otherwise),
    isOptional: optional === true,
    isExplicit: false,
  }));
}

function cycleOf(candidate: Candidate, trail: readonly string[]): Error {
  const circle = trail.slice(trail.indexOf(candidateName(candidate)));
  return imageInvalid(sourceImageOf(candidate), `its buildpacks contain each other: ${circle.map(quoted).join(' → ')}`);
}

function requiredNames(tops: readonly Member[], tree: ReadonlyMap<string, Node>): ReadonlySet<string> {
  const required = new Set<string>();
  const visit = ({ candidate, isOptional }: Member): void => {
    const name = candidateName(candidate);
    if (isOptional || required.has(name)) return;
    required.add(name);
    tree.get(name)?.members.forEach(visit);
  };
  tops.forEach(visit);
  return required;
}

function duplicateWarnings(tree: ReadonlyMap<string, Node>, offer: Offer): readonly string[] {
  return [...tree].flatMap(([name, { candidate }]) => {
    const other = offer
      .get(candidate.id)
      ?.candidates.find((one) => one.version === candidate.version && one.entry.diffId !== candidate.entry.diffId);
    if (other === undefined) return [];
    const images = `${sourceImageOf(candidate)} and ${sourceImageOf(other)}`;
    return [`Buildpack ${quoted(name)} has different contents in ${images}; the first is used`];
  });
}

function groupWarnings(group: readonly Member[]): readonly string[] {
  const ids = group.map((member) => member.candidate.id);
  const repeated = new Set(ids.filter((id, index) => ids.indexOf(id) !== index));
  return [...repeated].map((id) => `Buildpack ${quoted(id)} stands twice in one group; lifecycles skip the second`);
}
