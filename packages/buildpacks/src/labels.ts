import { type BuildpackStack, type BuildpackTarget, type LifecycleApis, type OrderEntry } from '@buildkeeper/kpack-api';
import { imageInvalid } from './errors.ts';
import {
  flag,
  items,
  member,
  members,
  optionalText,
  parseJson,
  problemAt,
  requiredText,
  type JsonPlace,
} from './json-place.ts';
import { type LabelledImage } from './labelled-image.ts';

/**
 * Names of the labels that images of Cloud Native Buildpacks carry.
 *
 * @see https://github.com/buildpacks/spec/blob/main/distribution.md
 * @see https://github.com/buildpacks/spec/blob/main/platform.md
 */
export const labelNames = {
  buildpackLayers: 'io.buildpacks.buildpack.layers',
  buildpackOrder: 'io.buildpacks.buildpack.order',
  buildpackageMetadata: 'io.buildpacks.buildpackage.metadata',
  builderMetadata: 'io.buildpacks.builder.metadata',
  distroName: 'io.buildpacks.base.distro.name',
  distroVersion: 'io.buildpacks.base.distro.version',
  lifecycleApis: 'io.buildpacks.lifecycle.apis',
  lifecycleVersion: 'io.buildpacks.lifecycle.version',
  stackId: 'io.buildpacks.stack.id',
  stackMixins: 'io.buildpacks.stack.mixins',
} as const;

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

/** The package a buildpack came in. */
export interface LabelledPackage {
  readonly id?: string;
  readonly version?: string;
  readonly homepage?: string;
}

/** What the labels of a lifecycle image say. */
export interface LabelledLifecycle {
  readonly version: string;
  readonly api: { readonly buildpack?: string; readonly platform?: string };
}

/** Buildpacks in an image, from the one label without which it can't be a source of buildpacks. Throws BuildpackError. */
export function buildpacksOf(image: LabelledImage): readonly LabelledBuildpack[] {
  const versionsById = members(requiredLabel(image, labelNames.buildpackLayers));
  return versionsById.flatMap(([id, versions]) =>
    members(versions).map(([version, layer]) => buildpackAt(id, version, layer)),
  );
}

/** The package an image says it is; undefined for builders and others that are none. Throws BuildpackError. */
export function packageOf(image: LabelledImage): LabelledPackage | undefined {
  const label = optionalLabel(image, labelNames.buildpackageMetadata);
  if (label === undefined) return undefined;
  return {
    ...given('id', optionalText(member(label, 'id'))),
    ...given('version', optionalText(member(label, 'version'))),
    ...given('homepage', optionalText(member(label, 'homepage'))),
  };
}

/** Mixins of a stack image in the order of its label; none without one. Throws BuildpackError. */
export function mixinsOf(image: LabelledImage): readonly string[] {
  const label = optionalLabel(image, labelNames.stackMixins);
  return label === undefined ? [] : items(label).map(requiredText);
}

/** Version of a lifecycle image and the one API version of each sort that old readers want. Throws BuildpackError. */
export function lifecycleOf(image: LabelledImage): LabelledLifecycle {
  const label = requiredLabel(image, labelNames.builderMetadata);
  const api = member(label, 'api');
  return {
    version: requiredText(member(member(label, 'lifecycle'), 'version')),
    api: {
      ...given('buildpack', optionalText(member(api, 'buildpack'))),
      ...given('platform', optionalText(member(api, 'platform'))),
    },
  };
}

/** API versions of a lifecycle image, as its label lists them. Throws BuildpackError. */
export function lifecycleApisOf(image: LabelledImage): Required<LifecycleApis> {
  const label = requiredLabel(image, labelNames.lifecycleApis);
  const listAt = (place: JsonPlace) => items(place).map(requiredText);
  const versionsAt = (place: JsonPlace) => ({
    deprecated: listAt(member(place, 'deprecated')),
    supported: listAt(member(place, 'supported')),
  });
  return { buildpack: versionsAt(member(label, 'buildpack')), platform: versionsAt(member(label, 'platform')) };
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

function requiredLabel(image: LabelledImage, name: string): JsonPlace {
  const label = optionalLabel(image, name);
  if (label === undefined) throw imageInvalid(image.text, `it has no label ${name}`);
  return label;
}

function optionalLabel(image: LabelledImage, name: string): JsonPlace | undefined {
  const text = image.labels.get(name);
  if (text === undefined) return undefined;
  return parseJson(text, (detail, cause) => imageInvalid(image.text, `label ${name} ${detail}`, cause));
}

/** A member only when there is a value, because an absent field and an undefined one are different things in a status. */
function given<K extends string, V>(key: K, value: V | undefined): Partial<Readonly<Record<K, V>>> {
  return value === undefined ? {} : ({ [key]: value } as Readonly<Record<K, V>>);
}

function nonEmpty<T>(list: T[]): T[] | undefined {
  return list.length === 0 ? undefined : list;
}
