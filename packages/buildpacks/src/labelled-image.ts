import { type RegistryImage } from '@buildkeeper/registry-client';
import { imageInvalid } from './errors.ts';

/** The part of an image's config that is read here, checked. Keys may be anything, so maps and not objects. */
export interface LabelledImage {
  /** The reference as the user wrote it, for messages. */
  readonly text: string;
  readonly labels: ReadonlyMap<string, string>;
  /** Environment; of a variable that is set twice the first one counts, as in a process started with it. */
  readonly env: ReadonlyMap<string, string>;
  readonly platform: ImagePlatform;
}

/** What an image runs on; an empty text means that its config doesn't say. */
export interface ImagePlatform {
  readonly os: string;
  readonly arch: string;
  readonly variant: string;
}

/** Reads labels, environment and platform of an image. Throws BuildpackError when the config holds other types. */
export function labelledImage(text: string, image: RegistryImage): LabelledImage {
  const config: Readonly<Record<string, unknown>> = { ...image.config };
  const container = recordOf(text, 'config', config['config']);
  return {
    text,
    labels: new Map(Object.entries(recordOf(text, 'config.Labels', container['Labels'])).flatMap(textEntry)),
    env: envOf(text, container['Env']),
    platform: {
      os: textOf(config['os']),
      arch: textOf(config['architecture']),
      variant: textOf(config['variant']),
    },
  };
}

/** `linux/arm64/v8` with the parts that are known. */
export function platformText(platform: ImagePlatform): string {
  return [platform.os || 'unknown', platform.arch || 'any', platform.variant].filter((part) => part !== '').join('/');
}

/** Same operating system; architecture and variant equal, or not said by one of the two. */
export function isPlatformMatch(a: ImagePlatform, b: ImagePlatform): boolean {
  return a.os === b.os && isSameOrUnsaid(a.arch, b.arch) && isSameOrUnsaid(a.variant, b.variant);
}

function isSameOrUnsaid(a: string, b: string): boolean {
  return a === '' || b === '' || a === b;
}

/** Splits at the first `=` alone: values hold further ones. */
function envOf(text: string, env: unknown): ReadonlyMap<string, string> {
  if (env === undefined || env === null) return new Map();
  if (!Array.isArray(env)) throw imageInvalid(text, 'config.Env is not an array');
  const values = new Map<string, string>();
  for (const entry of env as unknown[]) {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(textOf(entry)) ?? [];
    if (name !== undefined && value !== undefined && !values.has(name)) values.set(name, value);
  }
  return values;
}

function recordOf(text: string, path: string, value: unknown): Readonly<Record<string, unknown>> {
  if (value === undefined || value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value)) throw imageInvalid(text, `${path} is not an object`);
  return value as Readonly<Record<string, unknown>>;
}

function textEntry([key, value]: [string, unknown]): [string, string][] {
  return typeof value === 'string' ? [[key, value]] : [];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
