import { type BuildpackStack, type BuildpackTarget, type OrderEntry } from '@buildkeeper/kpack-api';
import { flag, items, member, members, optionalText, problemAt, requiredText, type JsonPlace } from './json-place.ts';
import { given, labelNames, requiredLabel } from './labels.ts';
import { type LabelledImage } from './labelled-image.ts';

/** One buildpack of the layers label. */
export interface LabelledBuildpack {
  readonly id: string;
  readonly version: string;
  /** Digest of the uncompressed layer that holds it. */
  readonly layerDiffId: string;
  readonly api?: string;
  readonly name?: string;
  readonly homepage?: string;
  /** Groups, when it is made of other buildpacks. */
  readonly order?: OrderEntry[];
  readonly stacks?: BuildpackStack[];
  readonly targets?: BuildpackTarget[];
}

/** Buildpacks in an image, from the one label without which it can't be a source of buildpacks. Throws BuildpackError. */
export function buildpacksOf(image: LabelledImage): readonly LabelledBuildpack[] {
  const versionsById = members(requiredLabel(image, labelNames.buildpackLayers));
  return versionsById.flatMap(([id, versions]) =>
    members(versions).map(([version, layer]) => buildpackAt(id, version, layer)),
  );
}

function buildpackAt(id: string, version: string, layer: JsonPlace): LabelledBuildpack {
  if (id === '') throw problemAt(layer, 'has no buildpack id');
  const lists = { order: member(layer, 'order'), stacks: member(layer, 'stacks'), targets: member(layer, 'targets') };
  return {
    id,
    version,
    layerDiffId: digestAt(member(layer, 'layerDiffID')),
    ...given('api', optionalText(member(layer, 'api'))),
    ...given('name', optionalText(member(layer, 'name'))),
    ...given('homepage', optionalText(member(layer, 'homepage'))),
    ...given('order', nonEmpty(items(lists.order).map(orderEntryAt))),
    ...given('stacks', nonEmpty(items(lists.stacks).map(stackAt))),
    ...given('targets', nonEmpty(items(lists.targets).map(targetAt))),
  };
}

function orderEntryAt(place: JsonPlace): OrderEntry {
  const group = items(member(place, 'group')).map((entry) => ({
    id: requiredText(member(entry, 'id')),
    ...given('version', optionalText(member(entry, 'version'))),
    ...(flag(member(entry, 'optional')) && { optional: true }),
  }));
  return { group };
}

function stackAt(place: JsonPlace): BuildpackStack {
  return {
    id: requiredText(member(place, 'id')),
    ...given('mixins', nonEmpty(items(member(place, 'mixins')).map(requiredText))),
  };
}

function targetAt(place: JsonPlace): BuildpackTarget {
  const distros = items(member(place, 'distros')).map((distro) => ({
    ...given('name', optionalText(member(distro, 'name'))),
    ...given('version', optionalText(member(distro, 'version'))),
  }));
  return {
    ...given('os', optionalText(member(place, 'os'))),
    ...given('arch', optionalText(member(place, 'arch'))),
    ...given('variant', optionalText(member(place, 'variant'))),
    ...given('distros', nonEmpty(distros)),
  };
}

function digestAt(place: JsonPlace): string {
  const digest = requiredText(place);
  if (!/^sha256:[0-9a-f]{64}$/.test(digest)) throw problemAt(place, 'is not a sha256 digest');
  return digest;
}

function nonEmpty<T>(list: T[]): T[] | undefined {
  return list.length === 0 ? undefined : list;
}
