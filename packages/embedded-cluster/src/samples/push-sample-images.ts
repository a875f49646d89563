import { sampleBuildImage, sampleRunImage, sampleStackId } from './base-images.ts';
import { helloMoon, helloUniverse, helloWorld, sampleBuildpackage } from './buildpackages.ts';
import { type ImageSink, pushImage } from './image-sink.ts';
import { type LifecyclePrograms, sampleLifecycleImage, sampleLifecycleVersion } from './lifecycle-image.ts';
import { type PushCredential, RegistryPusher } from './registry-pusher.ts';
import { type ImageFamily, type SampleImage } from './sample-image.ts';

/** What the sample images are and what they are called. */
export interface SampleOptions {
  /** Media types; `docker` when absent. */
  readonly family?: ImageFamily;
  /** First part of the repositories' names; `samples` when absent. */
  readonly prefix?: string;
  /** Root file system of both base images, as a tar archive. */
  readonly rootfs?: Uint8Array;
  /** Another number makes other base images with the same meaning under the same names; 1 when absent. */
  readonly revision?: number;
  /** Real programs for the lifecycle image. */
  readonly lifecyclePrograms?: LifecyclePrograms;
}

/** References of the sample images, all by tag. */
export interface SampleImages {
  /** Stack id of both base images. */
  readonly stackId: string;
  readonly buildImage: string;
  readonly runImage: string;
  readonly lifecycle: string;
  /** `sample/hello-world` 0.0.1, which the composite is made of. */
  readonly helloWorld: string;
  /** `sample/hello-world` 0.0.2. */
  readonly helloWorldNext: string;
  /** `sample/hello-moon` 0.0.1. */
  readonly helloMoon: string;
  /** `sample/hello-universe` 0.0.1: a composite that brings hello-world 0.0.1 and hello-moon 0.0.1 along. */
  readonly helloUniverse: string;
  /** The four buildpackages. */
  readonly buildpackages: readonly string[];
}

/**
 * Makes the sample images and pushes them over plain HTTP to any registry. Made on the spot: the same options give the same digests.
 * Throws with the request and status when the registry refuses.
 */
export async function pushSampleImages(
  options: SampleOptions & { readonly registry: string; readonly credential?: PushCredential },
): Promise<SampleImages> {
  const pusher = new RegistryPusher(options.registry, options.credential);
  try {
    return await putSampleImages(pusher, options.registry, options);
  } finally {
    pusher.close();
  }
}

/** Puts the sample images into a sink; the references name `host`, which may be a proxy's. */
export async function putSampleImages(
  sink: ImageSink,
  host: string,
  options: SampleOptions = {},
): Promise<SampleImages> {
  const { family = 'docker', prefix = 'samples', lifecyclePrograms: programs } = options;
  const put = async (name: string, tag: string, image: SampleImage): Promise<string> => {
    await pushImage(sink, { repository: `${prefix}/${name}`, tag }, image);
    return `${host}/${prefix}/${name}:${tag}`;
  };
  const references = {
    stackId: sampleStackId,
    buildImage: await put('build', 'base', sampleBuildImage(options)),
    runImage: await put('run', 'base', sampleRunImage(options)),
    lifecycle: await put(
      'lifecycle',
      sampleLifecycleVersion,
      sampleLifecycleImage({ family, ...(programs === undefined ? {} : { programs }) }),
    ),
    helloWorld: await put('hello-world', '0.0.1', sampleBuildpackage(helloWorld('0.0.1'), [], family)),
    helloWorldNext: await put('hello-world', '0.0.2', sampleBuildpackage(helloWorld('0.0.2'), [], family)),
    helloMoon: await put('hello-moon', '0.0.1', sampleBuildpackage(helloMoon, [], family)),
    helloUniverse: await put(
      'hello-universe',
      '0.0.1',
      sampleBuildpackage(helloUniverse, [helloWorld('0.0.1'), helloMoon], family),
    ),
  };
  const { helloWorld: world, helloWorldNext, helloMoon: moon, helloUniverse: universe } = references;
  return { ...references, buildpackages: [world, helloWorldNext, moon, universe] };
}
