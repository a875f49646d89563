import { type LifecycleApis } from '@buildkeeper/kpack-api';
import { imageInvalid } from './errors.ts';
import { items, member, optionalText, parseJson, requiredText, type JsonPlace } from './json-place.ts';
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

/** A label that must be there, parsed. Throws BuildpackError. */
export function requiredLabel(image: LabelledImage, name: string): JsonPlace {
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
export function given<K extends string, V>(key: K, value: V | undefined): Partial<Readonly<Record<K, V>>> {
  return value === undefined ? {} : ({ [key]: value } as Readonly<Record<K, V>>);
}
