import { type Credential } from '@buildkeeper/registry-client';
import { parseRegistryKey, type RegistryKey } from './registry-key.ts';

/** One credential and where it is valid. */
export interface CredentialEntry {
  readonly key: RegistryKey;
  readonly credential: Credential;
}

/** What was found in one Secret. */
export interface SecretCredentials {
  readonly entries: readonly CredentialEntry[];
  /** Something in the Secret could not be understood; what could be is in `entries`. */
  readonly isBroken: boolean;
}

/** The part of a Secret that is read here. */
export interface CredentialSecret {
  readonly type: string;
  readonly data: Readonly<Record<string, Uint8Array>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Annotation by which kpack's basic-auth Secrets name their registry. */
const registryAnnotation = 'kpack.io/docker';

const none: SecretCredentials = { entries: [], isBroken: false };
const broken: SecretCredentials = { entries: [], isBroken: true };

/**
 * Credentials in a Secret of type `kubernetes.io/dockerconfigjson`, `kubernetes.io/dockercfg`, or
 * `kubernetes.io/basic-auth` with the annotation `kpack.io/docker`. Other types have none. Never throws, because one
 * bad Secret must not take the others with it.
 */
export function credentialsOf(secret: CredentialSecret): SecretCredentials {
  switch (secret.type) {
    case 'kubernetes.io/dockerconfigjson':
      return credentialsFromAuths(recordOf(jsonOf(secret.data['.dockerconfigjson']))?.['auths']);
    case 'kubernetes.io/dockercfg':
      return credentialsFromAuths(jsonOf(secret.data['.dockercfg']));
    case 'kubernetes.io/basic-auth':
      return credentialsFromBasicAuth(secret);
    default:
      return none;
  }
}

function credentialsFromBasicAuth(secret: CredentialSecret): SecretCredentials {
  const registry = secret.annotations?.[registryAnnotation];
  if (registry === undefined) return none;
  const username = textOf(secret.data['username']);
  const password = textOf(secret.data['password']);
  const key = parseRegistryKey(registry);
  if (key === undefined || username === undefined || password === undefined) return broken;
  return { entries: [{ key, credential: { username, password } }], isBroken: false };
}

function credentialsFromAuths(auths: unknown): SecretCredentials {
  const byKey = recordOf(auths);
  if (byKey === undefined) return broken;
  const entries: CredentialEntry[] = [];
  let isBroken = false;
  for (const [text, value] of Object.entries(byKey)) {
    const key = parseRegistryKey(text);
    const raw = recordOf(value);
    if (key === undefined || raw === undefined) {
      isBroken = true;
      continue;
    }
    const pair = pairFromAuth(raw['auth']);
    if (pair === 'malformed') isBroken = true;
    const credential = credentialFrom(raw, pair === 'malformed' ? undefined : pair);
    if (credential !== undefined) entries.push({ key, credential });
  }
  return { entries, isBroken };
}

/** Undefined when the entry holds nothing, as a Docker client with a credential store writes it. */
function credentialFrom(raw: Record<string, unknown>, pair: Pair | undefined): Credential | undefined {
  const username = pair?.username ?? nonEmpty(raw['username']);
  const password = pair?.password ?? (typeof raw['password'] === 'string' ? raw['password'] : undefined);
  const identityToken = nonEmpty(raw['identitytoken']);
  const registryToken = nonEmpty(raw['registrytoken']);
  const hasPair = username !== undefined && password !== undefined;
  if (!hasPair && identityToken === undefined && registryToken === undefined) return undefined;
  return {
    ...(hasPair && { username, password }),
    ...(identityToken !== undefined && { identityToken }),
    ...(registryToken !== undefined && { registryToken }),
  };
}

interface Pair {
  readonly username: string;
  readonly password: string;
}

/** `auth` is base64 of `user:password`; the password may hold colons, and some tools pad it with NULs. */
function pairFromAuth(auth: unknown): Pair | 'malformed' | undefined {
  if (auth === undefined || auth === null || auth === '') return undefined;
  if (typeof auth !== 'string' || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(auth.trim())) return 'malformed';
  const decoded = Buffer.from(auth.trim(), 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  if (colon < 1) return 'malformed';
  return { username: decoded.slice(0, colon), password: withoutPadding(decoded.slice(colon + 1)) };
}

function withoutPadding(text: string): string {
  let end = text.length;
  while (text.charCodeAt(end - 1) === 0) end -= 1;
  return text.slice(0, end);
}

function nonEmpty(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function textOf(bytes: Uint8Array | undefined): string | undefined {
  return bytes === undefined ? undefined : Buffer.from(bytes).toString('utf8');
}

function jsonOf(bytes: Uint8Array | undefined): unknown {
  try {
    return JSON.parse(textOf(bytes) ?? '');
  } catch {
    // The parser's message quotes what it read, which is a password here; the Secret is named by whoever asked.
    return undefined;
  }
}

function recordOf(value: unknown): Record<string, unknown> | undefined {
  const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isRecord ? (value as Record<string, unknown>) : undefined;
}
