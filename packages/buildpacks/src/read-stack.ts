import { type ClusterStackSpec, type ClusterStackStatus } from '@buildkeeper/kpack-api';
import { formatReference, parseReference, type Keychain, type RegistryClient } from '@buildkeeper/registry-client';
import { imageInvalid, quoted } from './errors.ts';
import { isPlatformMatch, labelledImage, platformText, type LabelledImage } from './labelled-image.ts';
import { labelNames } from './labels.ts';
import { stackMixins } from './stack-mixins.ts';

/** What every reader of images needs. */
export interface ReaderDeps {
  readonly registry: RegistryClient;
}

/** The part of a ClusterStack's status that comes out of its two images. */
export type ResolvedStack = Required<
  Pick<ClusterStackStatus, 'id' | 'buildImage' | 'runImage' | 'mixins' | 'userId' | 'groupId'>
>;

/** The resolved part of a status; undefined until all of it has been found once. */
export function resolvedStackOf(status: ClusterStackStatus | undefined): ResolvedStack | undefined {
  const { id, buildImage, runImage, mixins = [], userId, groupId } = status ?? {};
  if (id === undefined || userId === undefined || groupId === undefined) return undefined;
  if (buildImage?.latestImage === undefined || runImage?.latestImage === undefined) return undefined;
  return { id, buildImage, runImage, mixins, userId, groupId };
}

interface FoundImage extends LabelledImage {
  /** Repository with the digest of the platform's manifest: what a lifecycle will record, and never an index. */
  readonly latestImage: string;
}

/** Reads the two images of a stack and checks that they fit together. Throws RegistryError and BuildpackError. */
export async function readStack(
  spec: Pick<ClusterStackSpec, 'id' | 'buildImage' | 'runImage'>,
  deps: ReaderDeps,
  keychain: Keychain,
  signal: AbortSignal,
): Promise<ResolvedStack> {
  const find = (text: string) => findImage(text, deps, keychain, signal);
  const buildImage = await find(spec.buildImage.image);
  const runImage = await find(spec.runImage.image);
  checkPlatforms(buildImage, runImage);
  checkStackIds(spec.id, buildImage, runImage);
  return {
    id: spec.id,
    buildImage: { latestImage: buildImage.latestImage, image: buildImage.text },
    runImage: { latestImage: runImage.latestImage, image: runImage.text },
    mixins: stackMixins(buildImage, runImage),
    userId: numericEnv(buildImage, 'CNB_USER_ID'),
    groupId: numericEnv(buildImage, 'CNB_GROUP_ID'),
  };
}

async function findImage(text: string, deps: ReaderDeps, keychain: Keychain, signal: AbortSignal): Promise<FoundImage> {
  const image = await deps.registry.readImage(parseReference(text), keychain, { signal });
  const latestImage = formatReference({ ...image.repository, digest: image.digest });
  return { ...labelledImage(text, image), latestImage };
}

function checkPlatforms(buildImage: LabelledImage, runImage: LabelledImage): void {
  for (const image of [buildImage, runImage]) {
    if (image.platform.os === 'linux') continue;
    throw imageInvalid(image.text, `its operating system is ${quoted(image.platform.os)}; only linux is supported`);
  }
  if (isPlatformMatch(buildImage.platform, runImage.platform)) return;
  const wanted = `${platformText(buildImage.platform)} of build image ${buildImage.text}`;
  throw imageInvalid(runImage.text, `it is for ${platformText(runImage.platform)}, not for ${wanted}`);
}

/** The label must say what the spec says. Newer bases have none; then both images must name the same distribution. */
function checkStackIds(id: string, buildImage: LabelledImage, runImage: LabelledImage): void {
  const distro = distroOf(buildImage);
  const isSameDistro = distro !== undefined && distro === distroOf(runImage);
  for (const image of [buildImage, runImage]) {
    const found = image.labels.get(labelNames.stackId);
    if (found === id || (found === undefined && isSameDistro)) continue;
    const detail =
      found === undefined
        ? `it has no label ${labelNames.stackId}, and the two images don't name the same distribution`
        : `its stack is ${quoted(found)}, not ${quoted(id)}`;
    throw imageInvalid(image.text, detail);
  }
}

function distroOf(image: LabelledImage): string | undefined {
  const name = image.labels.get(labelNames.distroName);
  return name === undefined ? undefined : `${name} ${image.labels.get(labelNames.distroVersion) ?? ''}`;
}

/** User and group ids of Linux have 32 bits. */
const maxId = 2 ** 32 - 1;

function numericEnv(image: LabelledImage, name: string): number {
  const text = image.env.get(name);
  if (text === undefined) throw imageInvalid(image.text, `its environment lacks ${name}`);
  const value = /^\d{1,10}$/.test(text) ? Number(text) : NaN;
  if (!(value <= maxId))
    throw imageInvalid(image.text, `its ${name} is ${quoted(text)}, not the number of a user or group`);
  return value;
}
