export { anonymousKeychain, credentialHash, type Credential, type Keychain } from './credential.ts';
export { RegistryError, type RegistryOperation } from './errors.ts';
export type { ImageConfig, ImageManifest, ManifestDescriptor, Platform } from './image-json.ts';
export type { RegistryImage } from './images.ts';
export type { ContentLimits, HostSettings, RegistryClientOptions, RegistryObserver } from './options.ts';
export type { Descriptor } from './parse-manifest.ts';
export { formatReference, parseReference, tagOf, type ImageReference, type Repository } from './reference.ts';
export { createRegistryClient, type NewManifest, type RegistryClient } from './registry-client.ts';
export type { BlobPlacement, BlobSource, BlobTarget } from './uploads.ts';
