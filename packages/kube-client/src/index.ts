export {
  createEventRecorder,
  type EventRecorder,
  type EventRecorderOptions,
  type RecordedEvent,
} from './event-recorder.ts';
export {
  type KubeClient,
  type ObjectPage,
  type PageOptions,
  type Selection,
  type WatchOptions,
} from './kube-client.ts';
export { KubeError } from './kube-error.ts';
export { type KubeObject, type NewObject, objectKey, type ObjectMeta } from './kube-object.ts';
export {
  type KubeCredentials,
  type KubeTarget,
  type KubeTargetOptions,
  loadKubeTarget,
  type TlsMaterial,
} from './kube-target.ts';
export { createLeaseClient, type Lease, type LeaseClient, leaseResource, type LeaseSpec } from './lease.ts';
export { type LogEvent, type LogSink } from './log-sink.ts';
export { microTime } from './micro-time.ts';
export { type Indexer } from './object-index.ts';
export { type ObjectStore, type StoreChange } from './object-store.ts';
export { type KubeObserver } from './observer.ts';
export { createReflector, type Reflector, type ReflectorOptions, type ReflectorTiming } from './reflector.ts';
export { createKubeClient, type KubeClientOptions, type KubeTimeouts } from './pooled-kube-client.ts';
export { apiVersionOf, type ObjectName, type ResourceType } from './resource-type.ts';
export {
  readSecret,
  readServiceAccount,
  type Secret,
  secretResource,
  type ServiceAccount,
  serviceAccountResource,
} from './secrets.ts';
export { type WatchEvent } from './watch-event.ts';
export { formatYaml, parseYaml } from './yaml-text.ts';
