export { type ApiServer, type ApiServerOptions, type ApiServerRequest, startApiServer } from './api/api-server.ts';
export { type DirectAccess } from './api/direct-access.ts';
export { type ApiObject, type ObjectMetadata } from './api/json-value.ts';
export { ApiError } from './api/statuses.ts';
export { type ServerIdentity } from './proxy/connection.ts';
export { type FaultAction, type FaultHandle, type FaultRule } from './proxy/fault-rules.ts';
export {
  type FaultProxy,
  type FaultProxyOptions,
  type SeenRequest,
  startFaultProxy,
} from './proxy/start-fault-proxy.ts';
export { type RegistryAuth, type RegistryUsers } from './registry/authority.ts';
export { type CompletedUpload, type StoredManifest } from './registry/registry-store.ts';
export {
  type OciRegistry,
  type OciRegistryOptions,
  type RegistryRequest,
  startOciRegistry,
} from './registry/start-oci-registry.ts';
export { type BaseImageOptions, sampleBuildImage, sampleRunImage, sampleStackId } from './samples/base-images.ts';
export {
  helloMoon,
  helloUniverse,
  helloWorld,
  type SampleBuildpack,
  sampleBuildpackage,
} from './samples/buildpackages.ts';
export { type ImageSink, pushImage } from './samples/image-sink.ts';
export { type LifecyclePrograms, sampleLifecycleImage, sampleLifecycleVersion } from './samples/lifecycle-image.ts';
export {
  cyclicBuildpackage,
  forPlatform,
  multiPlatform,
  withEnv,
  withLabel,
  withoutLabel,
} from './samples/odd-images.ts';
export {
  pushSampleImages,
  putSampleImages,
  type SampleImages,
  type SampleOptions,
} from './samples/push-sample-images.ts';
export { realRootfs } from './samples/real-rootfs.ts';
export { type PushCredential, RegistryPusher } from './samples/registry-pusher.ts';
export {
  type EncodedImage,
  encodeImage,
  type ImageFamily,
  mediaTypes,
  type SampleImage,
  type SampleIndex,
} from './samples/sample-image.ts';
export { createTar, type TarEntry } from './samples/tar-archive.ts';
export { type DockerRegistry, startDockerRegistry } from './registry/start-docker-registry.ts';
export { type EmbeddedCluster, type EmbeddedClusterOptions, startEmbeddedCluster } from './start-embedded-cluster.ts';
