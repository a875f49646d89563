export {
  createKeychains,
  keychainOf,
  missingAccountMessage,
  type AccountKeychain,
  type AccountRef,
  type Keychains,
  type ListedSecret,
} from './keychain.ts';
export { type CredentialSecret } from './docker-config.ts';
export { credentialWatches, type CredentialWatch, type MaybeAccount } from './credential-watches.ts';
