import { failureOf } from '@buildkeeper/retry-policy';
import type { KubeClient } from './kube-client.ts';
import type { KubeObject } from './kube-object.ts';
import type { ObjectName, ResourceType } from './resource-type.ts';

/** Secrets of the core group. */
export const secretResource: ResourceType = {
  group: '',
  version: 'v1',
  plural: 'secrets',
  kind: 'Secret',
  namespaced: true,
};

/** ServiceAccounts of the core group. */
export const serviceAccountResource: ResourceType = {
  group: '',
  version: 'v1',
  plural: 'serviceaccounts',
  kind: 'ServiceAccount',
  namespaced: true,
};

/** A Secret that was read; nobody keeps it. */
export interface Secret {
  readonly name: string;
  /** For instance `kubernetes.io/dockerconfigjson`. */
  readonly type: string;
  /** Decoded. */
  readonly data: Readonly<Record<string, Uint8Array>>;
}

/** Names of the Secrets that a ServiceAccount lists, in its own order. */
export interface ServiceAccount {
  readonly secrets: readonly string[];
  readonly imagePullSecrets: readonly string[];
}

interface RawSecret extends KubeObject {
  readonly type?: string;
  readonly data?: Readonly<Record<string, string>>;
}

interface RawServiceAccount extends KubeObject {
  readonly secrets?: readonly { readonly name?: string }[];
  readonly imagePullSecrets?: readonly { readonly name?: string }[];
}

/** One Secret as it is now; undefined when it does not exist. Throws KubeError. */
export async function readSecret(
  client: KubeClient,
  name: Required<ObjectName>,
  signal: AbortSignal,
): Promise<Secret | undefined> {
  const raw = await getIfPresent<RawSecret>(client, secretResource, name, signal);
  if (raw === undefined) return undefined;
  const decoded = Object.entries(raw.data ?? {}).map(([key, value]) => [key, Buffer.from(value, 'base64')] as const);
  return { name: raw.metadata.name, type: raw.type ?? 'Opaque', data: Object.fromEntries(decoded) };
}

/** One ServiceAccount as it is now; undefined when it does not exist. Throws KubeError. */
export async function readServiceAccount(
  client: KubeClient,
  name: Required<ObjectName>,
  signal: AbortSignal,
): Promise<ServiceAccount | undefined> {
  const raw = await getIfPresent<RawServiceAccount>(client, serviceAccountResource, name, signal);
  if (raw === undefined) return undefined;
  return { secrets: namesOf(raw.secrets), imagePullSecrets: namesOf(raw.imagePullSecrets) };
}

async function getIfPresent<T extends KubeObject>(
  client: KubeClient,
  type: ResourceType,
  name: ObjectName,
  signal: AbortSignal,
): Promise<T | undefined> {
  try {
    return await client.get<T>(type, name, signal);
  } catch (error) {
    if (failureOf(error)?.class === 'notFound') return undefined;
    throw error;
  }
}

function namesOf(references: readonly { readonly name?: string }[] = []): readonly string[] {
  return references.flatMap(({ name }) => (name === undefined ? [] : [name]));
}
