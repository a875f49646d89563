import { type BuildpackEntry } from '@buildkeeper/kpack-api';
import { parseReference, type Keychain } from '@buildkeeper/registry-client';
import { failureOf, type Failure } from '@buildkeeper/retry-policy';
import { imageInvalid, quoted } from './errors.ts';
import { imageLayers, type ImageLayer } from './image-layer.ts';
import { packageOf } from './labels.ts';
import { buildpacksOf, type LabelledBuildpack } from './layers-label.ts';
import { labelledImage } from './labelled-image.ts';
import { type ReaderDeps } from './read-stack.ts';
import { compareTexts } from './version.ts';

/** What is known of a list of sources after a look at each of them. */
export interface StoreContents {
  /**
   * Sorted by `id@version`, then by source image. Of a source that failed: what was known before; while a source was
   * never read, also what is known of sources that the list has no more.
   */
  readonly buildpacks: BuildpackEntry[];
  /** The sources that could not be read now, in the order of the list. */
  readonly failures: readonly SourceFailure[];
  /** Whether every source was read at least once, now or earlier. */
  readonly isComplete: boolean;
}

/** A source that could not be read. */
export interface SourceFailure {
  /** The reference as the spec has it. */
  readonly image: string;
  readonly failure: Failure;
}

/**
 * Reads the buildpacks of every source image, each for itself: one that can't be read takes nothing from the others,
 * and keeps the entries that `previous` has of it. Throws only what is no judged failure of a source, and when the
 * signal aborts.
 */
export async function readStore(
  sources: readonly { readonly image: string }[],
  previous: readonly BuildpackEntry[],
  deps: ReaderDeps,
  keychain: Keychain,
  signal: AbortSignal,
): Promise<StoreContents> {
  const images = [...new Set(sources.map((source) => source.image))];
  const reads = await Promise.allSettled(images.map((image) => readSource(image, deps, keychain, signal)));
  const outcomes = reads.map((read, index) => outcomeOf(images[index] ?? '', read, previous, signal));
  const isComplete = outcomes.every((outcome) => outcome.failure === undefined || outcome.buildpacks.length > 0);
  // Until each source of a new list was read once, the old list's data is the last that was good as a whole.
  const left = isComplete ? [] : previous.filter((entry) => !images.includes(entry.storeImage?.image ?? ''));
  return {
    buildpacks: [...outcomes.flatMap((outcome) => outcome.buildpacks), ...left].sort(compareEntries),
    failures: outcomes.flatMap((outcome) => outcome.failure ?? []),
    isComplete,
  };
}

/**
 * The failure that speaks for all sources that could not be read: the one that is soonest worth another try, since a
 * look at the store is a look at each of them. Undefined when there is none.
 */
export function storeFailure(failures: readonly SourceFailure[]): Failure | undefined {
  const urgency = (one: SourceFailure) => mostUrgent.indexOf(one.failure.class);
  const [first, ...others] = [...failures].sort((a, b) => urgency(a) - urgency(b));
  if (first === undefined || others.length === 0) return first?.failure;
  const more = others.map((one) => one.image).join(', ');
  return { ...first.failure, message: `${first.failure.message}; not readable either: ${more}` };
}

const mostUrgent: readonly Failure['class'][] = [
  'aborted',
  'conflict',
  'transient',
  'throttled',
  'notFound',
  'auth',
  'invalid',
];

interface SourceOutcome {
  readonly buildpacks: readonly BuildpackEntry[];
  readonly failure?: SourceFailure;
}

function outcomeOf(
  image: string,
  read: PromiseSettledResult<readonly BuildpackEntry[]>,
  previous: readonly BuildpackEntry[],
  signal: AbortSignal,
): SourceOutcome {
  if (read.status === 'fulfilled') return { buildpacks: read.value };
  const failure = failureOf(read.reason);
  // An abort is about this attempt and not about the source; an unjudged error is a defect that must stay visible.
  if (failure === undefined || signal.aborted) throw read.reason as Error;
  return {
    buildpacks: previous.filter((entry) => entry.storeImage?.image === image),
    failure: { image, failure },
  };
}

async function readSource(
  text: string,
  deps: ReaderDeps,
  keychain: Keychain,
  signal: AbortSignal,
): Promise<readonly BuildpackEntry[]> {
  const image = await deps.registry.readImage(parseReference(text), keychain, { signal });
  const labelled = labelledImage(text, image);
  const buildpacks = buildpacksOf(labelled);
  const common = { buildpackage: packageOf(labelled) ?? {}, storeImage: { image: text } };
  const layers = new Map(imageLayers(text, image).map((layer) => [layer.diffId, layer]));
  return buildpacks.map((buildpack) => entryOf(text, buildpack, layers.get(buildpack.layerDiffId), common));
}

function entryOf(
  text: string,
  buildpack: LabelledBuildpack,
  layer: ImageLayer | undefined,
  common: Pick<BuildpackEntry, 'buildpackage' | 'storeImage'>,
): BuildpackEntry {
  const { layerDiffId, ...described } = buildpack;
  const name = quoted(`${buildpack.id}@${buildpack.version}`);
  if (layer === undefined) throw imageInvalid(text, `it has no layer ${layerDiffId}, the one of buildpack ${name}`);
  // A status entry says nothing of compression; only these two kinds can be told apart by digest and diffId.
  if (layer.compression === 'zstd') throw imageInvalid(text, `the layer of buildpack ${name} is compressed by zstd`);
  return { ...described, ...common, diffId: layerDiffId, digest: layer.digest, size: layer.sizeBytes };
}

function compareEntries(a: BuildpackEntry, b: BuildpackEntry): number {
  const nameOf = (entry: BuildpackEntry) => `${entry.id}@${entry.version ?? ''}`;
  const imageOf = (entry: BuildpackEntry) => entry.storeImage?.image ?? '';
  return compareTexts(nameOf(a), nameOf(b)) || compareTexts(imageOf(a), imageOf(b));
}
