import { type SampleBuildpack, sampleBuildpackage } from './buildpackages.ts';
import { type ImageFamily, type SampleImage, type SampleIndex } from './sample-image.ts';

/** The same image with a label set, to a huge value for instance. */
export function withLabel(image: SampleImage, name: string, value: string): SampleImage {
  return { ...image, config: { ...image.config, Labels: { ...image.config.Labels, [name]: value } } };
}

/** The same image without a label. */
export function withoutLabel(image: SampleImage, name: string): SampleImage {
  const Labels = Object.fromEntries(Object.entries(image.config.Labels).filter(([label]) => label !== name));
  return { ...image, config: { ...image.config, Labels } };
}

/** The same image with an environment variable set, or taken away when the value is undefined. */
export function withEnv(image: SampleImage, name: string, value: string | undefined): SampleImage {
  const others = (image.config.Env ?? []).filter((entry) => !entry.startsWith(`${name}=`));
  const Env = value === undefined ? others : [...others, `${name}=${value}`];
  return { ...image, config: { ...image.config, Env } };
}

/** The same image as if built for another platform. */
export function forPlatform(
  image: SampleImage,
  platform: { readonly os?: string; readonly architecture?: string },
): SampleImage {
  return { ...image, ...platform };
}

/** One image for each of these linux architectures, as children of an index. */
export function multiPlatform(
  image: SampleImage,
  architectures: readonly string[],
  family: ImageFamily = image.family,
): SampleIndex {
  return { family, images: architectures.map((architecture) => forPlatform(image, { os: 'linux', architecture })) };
}

/** A buildpackage of two composites, each of which orders the other. */
export function cyclicBuildpackage(family?: ImageFamily): SampleImage {
  const egg: SampleBuildpack = {
    id: 'sample/egg',
    version: '0.0.1',
    order: [{ group: [{ id: 'sample/hen', version: '0.0.1' }] }],
  };
  const hen: SampleBuildpack = {
    id: 'sample/hen',
    version: '0.0.1',
    order: [{ group: [{ id: 'sample/egg', version: '0.0.1' }] }],
  };
  return sampleBuildpackage(hen, [egg], family);
}
