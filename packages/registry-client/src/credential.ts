import { createHash } from 'node:crypto';
import type { Repository } from './reference.ts';

/** What a registry is told about who asks. `password` goes with `username`. */
export interface Credential {
  readonly username?: string;
  readonly password?: string;
  /** Refresh token, exchanged at the token service for each scope. */
  readonly identityToken?: string;
  /** Bearer token, sent as it is. */
  readonly registryToken?: string;
}

/** Finds the credential that fits a repository. */
export interface Keychain {
  /** The credential to use there, or undefined to go anonymously. */
  credentialFor(repository: Repository): Credential | undefined;
  /** Names of Secrets that are listed but do not exist: shown when a registry refuses. */
  readonly missing?: readonly string[];
  /** Names of Secrets that exist and could not be understood; for messages. */
  readonly broken?: readonly string[];
}

/** Knows no credential. */
export const anonymousKeychain: Keychain = { credentialFor: () => undefined };

/** A short hash that tells credentials apart without telling them. Anonymous is `anonymous`. */
export function credentialHash(credential: Credential | undefined): string {
  if (credential === undefined) return 'anonymous';
  const parts = [credential.username, credential.password, credential.identityToken, credential.registryToken];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}

/** All texts that would give the credential away. */
export function secretsOf(credential: Credential | undefined): readonly string[] {
  if (credential === undefined) return [];
  const { password, identityToken, registryToken } = credential;
  const encoded = basicHeader(credential)?.slice('Basic '.length);
  const texts = [password, identityToken, registryToken, encoded].map((secret) => secret ?? '');
  return texts.filter((secret) => secret !== '');
}

/** Value of an Authorization header, or undefined when there is no user to name. */
export function basicHeader(credential: Credential | undefined): string | undefined {
  const secret = credential?.password ?? credential?.identityToken;
  if (credential?.username === undefined || secret === undefined) return undefined;
  return `Basic ${Buffer.from(`${credential.username}:${secret}`).toString('base64')}`;
}
