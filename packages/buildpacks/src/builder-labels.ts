import { type BuilderMetadataEntry, type OrderEntry } from '@buildkeeper/kpack-api';
import { candidateName, type Candidate } from './buildpack-source.ts';
import { type RunImageNames } from './config-layers.ts';
import { quoted } from './errors.ts';
import { labelNames } from './labels.ts';
import { type ResolvedLifecycle } from './read-lifecycle.ts';
import { compareTexts } from './version.ts';

/**
 * Number of the layout of our builder images. It goes up when the same inputs give another image, and only then: so a
 * new release of ours that changes nothing about builders pushes none of them again.
 */
export const builderLayoutVersion = 1;

/** What the labels of a builder are made of. */
export interface BuilderLabelInput {
  /** Labels of the base image. */
  readonly baseLabels: Readonly<Record<string, string>>;
  readonly stackId: string;
  readonly lifecycle: Pick<ResolvedLifecycle, 'version' | 'api' | 'apis'>;
  readonly order: readonly OrderEntry[];
  /** In the order of their layers. */
  readonly buildpacks: readonly Candidate[];
  readonly runImage: RunImageNames;
  readonly additionalLabels: Readonly<Record<string, string>>;
}

/**
 * Labels of a builder image, sorted. The user's labels win over those of the base and the plain ones of ours, and lose
 * against the four that describe the content.
 *
 * @see https://github.com/buildpacks/spec/blob/main/platform.md#builder
 */
export function builderLabels(input: BuilderLabelInput): Readonly<Record<string, string>> {
  const labels = {
    [labelNames.stackId]: input.stackId,
    ...input.baseLabels,
    [labelNames.lifecycleVersion]: input.lifecycle.version,
    ...input.additionalLabels,
    [labelNames.lifecycleApis]: JSON.stringify(input.lifecycle.apis),
    [labelNames.buildpackOrder]: JSON.stringify(input.order),
    [labelNames.buildpackLayers]: JSON.stringify(layersLabel(input.buildpacks)),
    [labelNames.builderMetadata]: JSON.stringify(metadataLabel(input)),
  };
  return Object.fromEntries(Object.entries(labels).sort(([a], [b]) => compareTexts(a, b)));
}

/** Labels of ours that no user can override: they say what is in the image. */
const contentLabels: readonly string[] = [
  labelNames.lifecycleApis,
  labelNames.buildpackOrder,
  labelNames.buildpackLayers,
  labelNames.builderMetadata,
];

/** Warnings about labels of the user that tools of Cloud Native Buildpacks read. */
export function labelWarnings(additionalLabels: Readonly<Record<string, string>>): readonly string[] {
  return Object.keys(additionalLabels)
    .filter((name) => name.startsWith('io.buildpacks.'))
    .map((name) => {
      const effect = contentLabels.includes(name) ? 'is ignored: it says what is in the image' : 'may mislead tools';
      return `Additional label ${quoted(name)} ${effect}`;
    });
}

/** What a builder's status and label list of each buildpack in it. */
export function builderMetadata(buildpacks: readonly Candidate[]): BuilderMetadataEntry[] {
  return buildpacks.map(({ id, version, entry: { homepage } }) => ({
    id,
    version,
    ...(homepage !== undefined && { homepage }),
  }));
}

function metadataLabel({ lifecycle, buildpacks, runImage }: BuilderLabelInput): object {
  return {
    description: 'Builder kept up to date by buildkeeper',
    buildpacks: buildpacks.map(({ id, version, entry: { homepage, name } }) => ({ id, version, homepage, name })),
    stack: { runImage: { image: runImage.pinned, mirrors: null } },
    images: [{ image: runImage.floating, mirrors: null }],
    lifecycle: { version: lifecycle.version, api: lifecycle.api, apis: lifecycle.apis },
    createdBy: { name: 'buildkeeper', version: String(builderLayoutVersion) },
  };
}

/** By id, then by version, both sorted. Built from entries, because an id may be any text, `__proto__` too. */
function layersLabel(buildpacks: readonly Candidate[]): object {
  const sorted = [...buildpacks].sort((a, b) => compareTexts(candidateName(a), candidateName(b)));
  const byId = Map.groupBy(sorted, (buildpack) => buildpack.id);
  return Object.fromEntries(
    [...byId].map(([id, versions]) => [id, Object.fromEntries(versions.map((one) => [one.version, layerOf(one)]))]),
  );
}

function layerOf({ entry }: Candidate): object {
  const { api, stacks, targets, order, diffId: layerDiffID, homepage, name } = entry;
  return { api, stacks, targets, order, layerDiffID, homepage, name };
}
