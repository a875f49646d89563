import { secretResource, serviceAccountResource, type KubeObject, type ResourceType } from '@buildkeeper/kube-client';
import { type AccountRef, type Keychains } from './keychain.ts';

/** An account as a spec may name it; incomplete ones match nothing. */
export type MaybeAccount = { readonly namespace?: string | undefined; readonly name?: string | undefined } | undefined;

/** A watch of ServiceAccounts or Secrets, in the shape that a controller's definition takes. */
export interface CredentialWatch<T, D> {
  readonly resource: ResourceType;
  /** Only that something changed is read: data of Secrets is not held. */
  readonly metadataOnly: true;
  readonly whenEnabled: (settings: { readonly watchSecrets: boolean }) => boolean;
  affects(changed: KubeObject, candidate: T, deps: D): boolean;
}

/**
 * The watches that wake an object when a ServiceAccount that it uses, or a Secret that one of them lists, changes: a
 * mended credential is tried at once.
 *
 * @param accountsOf the accounts that an object reads or writes images with
 */
export function credentialWatches<T, D extends { readonly keychains: Keychains }>(
  accountsOf: (candidate: T, deps: D) => readonly MaybeAccount[],
): readonly CredentialWatch<T, D>[] {
  const usedBy = (candidate: T, deps: D, isConcerned: (account: AccountRef) => boolean) =>
    accountsOf(candidate, deps).filter(isComplete).some(isConcerned);
  const shared = {
    metadataOnly: true,
    whenEnabled: ({ watchSecrets }: { readonly watchSecrets: boolean }) => watchSecrets,
  } as const;
  return [
    {
      ...shared,
      resource: serviceAccountResource,
      affects: ({ metadata }, candidate, deps) =>
        usedBy(candidate, deps, ({ namespace, name }) => namespace === metadata.namespace && name === metadata.name),
    },
    {
      ...shared,
      resource: secretResource,
      affects: ({ metadata }, candidate, deps) =>
        usedBy(
          candidate,
          deps,
          (account) => account.namespace === metadata.namespace && deps.keychains.uses(account, metadata.name),
        ),
    },
  ];
}

function isComplete(account: MaybeAccount): account is AccountRef {
  return (account?.namespace ?? '') !== '' && (account?.name ?? '') !== '';
}
