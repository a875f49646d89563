import { type BuilderOrderRef } from '@buildkeeper/kpack-api';
import {
  offeredVersions,
  type BuildpackSource,
  type Candidate,
  type Offer,
  type OfferedVersions,
} from './buildpack-source.ts';
import { buildpackMissing, imageInvalid, quoted, specInvalid } from './errors.ts';

/** What a reference in an order is looked up in. */
export interface LookUp {
  readonly sources: readonly BuildpackSource[];
  readonly offer: Offer;
}

/**
 * The buildpack that an entry of a builder's order names: by id in all sources, by id inside of one object, or by an
 * object alone, which then stands for its root. Throws BuildpackError.
 */
export function resolveReference(reference: BuilderOrderRef, lookUp: LookUp): Candidate {
  const { id, version, kind, name, image } = withoutEmpty(reference);
  if (image !== undefined) {
    throw specInvalid('Cannot take a buildpack from an image named in the order; list the image in a ClusterStore');
  }
  if (kind === undefined && name === undefined) {
    if (id === undefined)
      throw specInvalid('An entry of the order has neither an id nor the kind and name of an object');
    return pickById(lookUp.offer.get(id), id, version, 'is offered by no source');
  }
  if (kind === undefined || name === undefined) throw specInvalid('An entry of the order needs kind and name together');
  const source = lookUp.sources.find((one) => one.kind === kind && one.name === name);
  if (source === undefined) throw buildpackMissing(`${kind} ${quoted(name)} is not there`);
  const wanted = id ?? rootIdOf(source);
  const inside = lookUp.offer.get(wanted)?.candidates.filter((candidate) => candidate.source === source) ?? [];
  return pickById(offeredVersions(inside), wanted, version, `is not offered by ${kind} ${quoted(name)}`);
}

/**
 * The candidate with exactly this version, or the one with the highest when none is asked for; among equals the
 * first. `otherwise` ends the sentence that says why there is none. Throws BuildpackError.
 */
export function pickById(
  offered: OfferedVersions | undefined,
  id: string,
  version: string | undefined,
  otherwise: string,
): Candidate {
  const candidates = offered?.candidates ?? [];
  const picked =
    version === undefined ? offered?.highest : candidates.find((candidate) => candidate.version === version);
  if (picked !== undefined) return picked;
  const others = [...new Set(candidates.map((candidate) => candidate.version))].slice(0, 5);
  const name = version === undefined ? quoted(id) : `${quoted(id)} with version ${quoted(version)}`;
  const hint = others.length === 0 ? '' : `; there is ${others.map(quoted).join(', ')}`;
  throw buildpackMissing(`Buildpack ${name} ${otherwise}${hint}`);
}

/** The one id of an object that no other buildpack of the object is made with. */
function rootIdOf(source: BuildpackSource): string {
  const nested = new Set(
    source.buildpacks.flatMap((entry) =>
      (entry.order ?? [])
        .flatMap((group) => group.group ?? [])
        .flatMap((member) => (member.id === entry.id ? [] : [member.id])),
    ),
  );
  const roots = new Set(source.buildpacks.map((entry) => entry.id).filter((id) => !nested.has(id)));
  const [root] = roots;
  const object = `${source.kind} ${quoted(source.name)}`;
  if (source.buildpacks.length === 0) throw buildpackMissing(`${object} offers no buildpack yet`);
  if (root === undefined || roots.size > 1) {
    const image = source.buildpacks[0]?.storeImage?.image ?? source.name;
    throw imageInvalid(image, `${object} has ${roots.size} buildpacks that no other one contains; name one by its id`);
  }
  return root;
}

function withoutEmpty(
  reference: BuilderOrderRef,
): Partial<Record<'id' | 'version' | 'kind' | 'name' | 'image', string>> {
  const { id, version, kind, name, image } = reference;
  return Object.fromEntries(
    Object.entries({ id, version, kind, name, image }).filter(([, value]) => value !== undefined && value !== ''),
  );
}
