import { readSecret, readServiceAccount, secretResource, type KubeClient } from '@buildkeeper/kube-client';
import { anonymousKeychain, type Credential, type Keychain, type Repository } from '@buildkeeper/registry-client';
import { credentialsOf, type CredentialEntry, type CredentialSecret } from './docker-config.ts';
import { compareSpecificity, isKeyOf } from './registry-key.ts';

/** A ServiceAccount by its name. */
export interface AccountRef {
  readonly namespace: string;
  readonly name: string;
}

/** The keychain of one ServiceAccount, as its Secrets were when it was made. */
export interface AccountKeychain extends Keychain {
  /** Secrets that the account lists and that don't exist, in the order of the account. */
  readonly missing: readonly string[];
  /** Secrets that exist and could not be understood, wholly or in part, in the order of the account. */
  readonly broken: readonly string[];
}

/** Makes keychains from ServiceAccounts. */
export interface Keychains {
  /**
   * Keychain of the account's `secrets` and `imagePullSecrets`, read now: nothing of a Secret is kept for the next
   * call. Undefined when the account does not exist. Throws KubeError.
   */
  forServiceAccount(account: AccountRef, signal: AbortSignal): Promise<AccountKeychain | undefined>;
  /**
   * The same for a reference that an object may leave out: without one, the keychain that holds nothing.
   * Undefined when the account that is named does not exist. Throws KubeError.
   */
  forReference(account: AccountRef | undefined, signal: AbortSignal): Promise<Keychain | undefined>;
  /**
   * Whether the account listed that Secret when it was read last, be the Secret there or not. True for an account that
   * was not read yet, or was not there: after a restart it must not be missed that a Secret was mended.
   */
  uses(account: AccountRef, secretName: string): boolean;
}

/** One Secret that an account lists; `secret` is undefined when there is none of that name. */
export interface ListedSecret {
  readonly name: string;
  readonly secret: CredentialSecret | undefined;
}

/** Keychains of the cluster that `client` talks to. */
export function createKeychains(options: { readonly client: KubeClient }): Keychains {
  const listed = new Map<string, ReadonlySet<string>>();
  const keychains: Keychains = {
    async forServiceAccount(account, signal) {
      const found = await readServiceAccount(options.client, account, signal);
      if (found === undefined) {
        listed.delete(keyOf(account));
        return undefined;
      }
      const names = [...new Set([...found.secrets, ...found.imagePullSecrets])];
      listed.set(keyOf(account), new Set(names));
      const read = (name: string) => readCredentials(options.client, account.namespace, name, signal);
      return keychainOf(await Promise.all(names.map(async (name) => ({ name, secret: await read(name) }))));
    },
    async forReference(account, signal) {
      return account === undefined ? anonymousKeychain : keychains.forServiceAccount(account, signal);
    },
    uses: (account, secretName) => listed.get(keyOf(account))?.has(secretName) ?? true,
  };
  return keychains;
}

/** Keychain of Secrets in the order in which they are asked: the first that fits a repository wins, and within it the most specific key. */
export function keychainOf(listed: readonly ListedSecret[]): AccountKeychain {
  const secrets: (readonly CredentialEntry[])[] = [];
  const missing: string[] = [];
  const broken: string[] = [];
  for (const { name, secret } of listed) {
    if (secret === undefined) {
      missing.push(name);
      continue;
    }
    const { entries, isBroken } = credentialsOf(secret);
    if (isBroken) broken.push(name);
    secrets.push([...entries].sort((a, b) => compareSpecificity(a.key, b.key)));
  }
  return { missing, broken, credentialFor: (repository) => firstCredential(secrets, repository) };
}

/** Only Secrets of one type say where they are valid in an annotation, so only those are asked for it. */
async function readCredentials(
  client: KubeClient,
  namespace: string,
  name: string,
  signal: AbortSignal,
): Promise<CredentialSecret | undefined> {
  const secret = await readSecret(client, { namespace, name }, signal);
  if (secret?.type !== 'kubernetes.io/basic-auth') return secret;
  const { metadata } = await client.get(secretResource, { namespace, name }, signal);
  return { ...secret, annotations: metadata.annotations ?? {} };
}

function firstCredential(
  secrets: readonly (readonly CredentialEntry[])[],
  repository: Repository,
): Credential | undefined {
  for (const entries of secrets) {
    const entry = entries.find((one) => isKeyOf(one.key, repository));
    if (entry !== undefined) return entry.credential;
  }
  return undefined;
}

function keyOf(account: AccountRef): string {
  return `${account.namespace}/${account.name}`;
}

/** The sentence that says which ServiceAccount is not there. */
export function missingAccountMessage(account: Partial<AccountRef> | undefined): string {
  return `ServiceAccount ${account?.namespace ?? ''}/${account?.name ?? ''} does not exist`;
}
