import { type BuildpackEntry } from '@buildkeeper/kpack-api';
import { type Keychain } from '@buildkeeper/registry-client';
import { compareTexts, compareVersions } from './version.ts';

/** Kinds of objects that offer buildpacks, the one that wins among equals first. */
export const sourceKinds = ['Buildpack', 'ClusterBuildpack', 'ClusterStore'] as const;

/** An object that offers buildpacks, as its status stands. */
export interface BuildpackSource {
  readonly kind: (typeof sourceKinds)[number];
  readonly name: string;
  readonly buildpacks: readonly BuildpackEntry[];
  /** Opens the repositories of its images; the builder's own account need not be able to. */
  readonly keychain: Keychain;
}

/** One buildpack that an object offers. */
export interface Candidate {
  readonly entry: BuildpackEntry;
  readonly id: string;
  readonly version: string;
  readonly source: BuildpackSource;
}

/** All that the sources offer, by id. */
export type Offer = ReadonlyMap<string, OfferedVersions>;

/** What is offered of one id. */
export interface OfferedVersions {
  /** The one that wins among equals first. */
  readonly candidates: readonly Candidate[];
  /** The one with the highest version. Found once: a hostile label could ask for it thousands of times. */
  readonly highest: Candidate | undefined;
}

/** Orders what the sources offer: by kind, name of the object, source image, version. The order in which they come doesn't matter. */
export function offerOf(sources: readonly BuildpackSource[]): Offer {
  const candidates = sources.flatMap((source) =>
    source.buildpacks.map((entry) => ({ entry, id: entry.id, version: entry.version ?? '', source })),
  );
  const byId = Map.groupBy(candidates.sort(compareCandidates), (candidate) => candidate.id);
  return new Map([...byId].map(([id, offered]) => [id, offeredVersions(offered)]));
}

/** Candidates of one id, the one that wins among equals first, with the highest version among them. */
export function offeredVersions(candidates: readonly Candidate[]): OfferedVersions {
  const highest = candidates.reduce<Candidate | undefined>(
    (best, one) => (best === undefined || compareVersions(one.version, best.version) > 0 ? one : best),
    undefined,
  );
  return { candidates, highest };
}

/** `id@version`. */
export function candidateName(candidate: Pick<Candidate, 'id' | 'version'>): string {
  return `${candidate.id}@${candidate.version}`;
}

/** The image that a candidate's layer is copied from, as the user wrote it. */
export function sourceImageOf(candidate: Candidate): string {
  return candidate.entry.storeImage?.image ?? '';
}

function compareCandidates(a: Candidate, b: Candidate): number {
  return (
    sourceKinds.indexOf(a.source.kind) - sourceKinds.indexOf(b.source.kind) ||
    compareTexts(a.source.name, b.source.name) ||
    compareTexts(sourceImageOf(a), sourceImageOf(b)) ||
    compareTexts(a.version, b.version) ||
    compareTexts(a.entry.diffId ?? '', b.entry.diffId ?? '')
  );
}
