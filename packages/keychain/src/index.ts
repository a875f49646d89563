export {
  createKeychains,
  keychainOf,
  type AccountKeychain,
  type AccountRef,
  type Keychains,
  type ListedSecret,
} from './keychain.ts';
export { type CredentialSecret } from './docker-config.ts';
