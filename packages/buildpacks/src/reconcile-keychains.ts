import { missingAccountMessage, type AccountRef, type Keychains } from '@buildkeeper/keychain';
import { type Keychain } from '@buildkeeper/registry-client';

/** The keychains that one look at a builder needs; each account is read once. */
export interface ReconcileKeychains {
  /** The builder's own. Throws MissingAccount. */
  own(): Promise<Keychain>;
  /** That of the account which an object names, or the builder's own if it names none. Throws MissingAccount. */
  of(
    account: { readonly namespace?: string | undefined; readonly name?: string | undefined } | undefined,
  ): Promise<Keychain>;
}

/** Thrown when a ServiceAccount is not there: something to wait for, and no failure. */
export class MissingAccount extends Error {
  override readonly name = 'MissingAccount';

  constructor(account: AccountRef) {
    super(missingAccountMessage(account));
  }
}

/** Keychains for one look at a builder. */
export function createReconcileKeychains(
  keychains: Keychains,
  ownAccount: AccountRef,
  signal: AbortSignal,
): ReconcileKeychains {
  const read = new Map<string, Promise<Keychain>>();
  const readOnce = (account: AccountRef): Promise<Keychain> => {
    const key = `${account.namespace}/${account.name}`;
    const known = read.get(key) ?? readNow(keychains, account, signal);
    read.set(key, known);
    return known;
  };
  return {
    own: () => readOnce(ownAccount),
    of: (account) => {
      const { namespace = '', name = '' } = account ?? {};
      return readOnce(namespace === '' || name === '' ? ownAccount : { namespace, name });
    },
  };
}

async function readNow(keychains: Keychains, account: AccountRef, signal: AbortSignal): Promise<Keychain> {
  const keychain = await keychains.forServiceAccount(account, signal);
  if (keychain === undefined) throw new MissingAccount(account);
  return keychain;
}
