import { isJsonObject, type JsonObject } from './json.ts';
import { isDigest } from './reference.ts';

/** A descriptor inside a manifest, with the field names of the wire. */
export interface ManifestDescriptor {
  readonly mediaType: string;
  readonly digest: string;
  /** In bytes. */
  readonly size: number;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** An image manifest, OCI or Docker. */
export interface ImageManifest {
  readonly schemaVersion: number;
  readonly mediaType: string;
  readonly config: ManifestDescriptor;
  readonly layers: readonly ManifestDescriptor[];
  readonly annotations?: Readonly<Record<string, string>>;
}

/** An image configuration. Members that are not named here are kept as they came. */
export interface ImageConfig {
  readonly architecture?: string;
  readonly os?: string;
  readonly variant?: string;
  readonly config?: {
    readonly Labels?: Readonly<Record<string, string>> | null;
    readonly Env?: readonly string[] | null;
    readonly User?: string;
    readonly [member: string]: unknown;
  };
  readonly rootfs: { readonly type: string; readonly diff_ids: readonly string[] };
  readonly history?: readonly JsonObject[];
  readonly [member: string]: unknown;
}

/** What an image is to run on. */
export interface Platform {
  readonly os: string;
  readonly architecture: string;
  /** Any variant fits when it is left out. */
  readonly variant?: string;
}

/** The manifest in the JSON, or undefined when it is none. */
export function imageManifestFrom(json: JsonObject, mediaType: string): ImageManifest | undefined {
  const { config, layers } = json;
  if (!isDescriptor(config) || !Array.isArray(layers) || !layers.every(isDescriptor)) return undefined;
  const schemaVersion = typeof json['schemaVersion'] === 'number' ? json['schemaVersion'] : 2;
  return { ...json, schemaVersion, mediaType, config, layers };
}

/** The configuration in the JSON, or undefined when it is none of an image. */
export function imageConfigFrom(json: JsonObject): ImageConfig | undefined {
  const rootfs = json['rootfs'];
  if (!isJsonObject(rootfs) || !Array.isArray(rootfs['diff_ids'])) return undefined;
  const areDigests = rootfs['diff_ids'].every((one) => typeof one === 'string' && isDigest(one));
  return areDigests && hasImageMembers(json) ? (json as unknown as ImageConfig) : undefined;
}

/** Digest of the first manifest of an index that fits the platform. An entry without one counts as linux/amd64. */
export function manifestForPlatform(index: JsonObject, platform: Platform): string | undefined {
  const entries: readonly unknown[] = Array.isArray(index['manifests']) ? index['manifests'] : [];
  const fitting = entries.filter(isDescriptor).find((entry) => fits(entry, platform));
  return fitting?.digest;
}

/** A platform as people write it: `linux/amd64`. */
export function formatPlatform({ os, architecture, variant }: Platform): string {
  return [os, architecture, variant].filter((part) => part !== undefined).join('/');
}

function fits(entry: ManifestDescriptor, wanted: Platform): boolean {
  const given: unknown = 'platform' in entry ? entry.platform : undefined;
  const platform = isJsonObject(given) ? given : { os: 'linux', architecture: 'amd64' };
  if (platform['os'] !== wanted.os || platform['architecture'] !== wanted.architecture) return false;
  return wanted.variant === undefined || platform['variant'] === wanted.variant;
}

function isDescriptor(value: unknown): value is ManifestDescriptor {
  if (!isJsonObject(value)) return false;
  const { mediaType, digest, size } = value;
  return typeof mediaType === 'string' && typeof digest === 'string' && isDigest(digest) && isSize(size);
}

function isSize(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

/** Checks the members that {@link ImageConfig} promises a type for. */
function hasImageMembers(json: JsonObject): boolean {
  const texts = [json['architecture'], json['os'], json['variant']];
  const config = json['config'] ?? undefined;
  if (!texts.every((text) => text === undefined || typeof text === 'string')) return false;
  if (config !== undefined && !isJsonObject(config)) return false;
  const labels = config?.['Labels'] ?? {};
  const env = config?.['Env'] ?? [];
  const history = json['history'] ?? [];
  if (!isJsonObject(labels) || !Object.values(labels).every((label) => typeof label === 'string')) return false;
  if (!Array.isArray(env) || !env.every((entry) => typeof entry === 'string')) return false;
  return Array.isArray(history) && history.every(isJsonObject);
}
