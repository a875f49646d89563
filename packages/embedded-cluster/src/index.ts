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
