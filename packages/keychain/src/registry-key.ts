import { type Repository } from '@buildkeeper/registry-client';

/** Where a credential is valid, as the key of one entry of a Docker configuration says it. */
export interface RegistryKey {
  /** Host in lower case, without scheme; each of its labels may hold `*`. */
  readonly host: string;
  /** Port as it was written; empty when none was. */
  readonly port: string;
  /** Segments of the path that repositories must start with; empty for the whole registry. */
  readonly path: readonly string[];
  /** The key as it was written. */
  readonly text: string;
}

/** Names of Docker Hub that mean the same registry; `docker login` writes the first one with `/v1/` behind it. */
const dockerHub = 'index.docker.io';
const dockerHubHosts: readonly string[] = [dockerHub, 'docker.io', 'registry-1.docker.io', 'registry.hub.docker.com'];

/**
 * Reads the key of one entry. A scheme, the API version `/v1` or `/v2` in front of the path, and slashes at its end
 * carry no meaning: people and tools write them or don't. Undefined for a key that names no host.
 *
 * @see https://kubernetes.io/docs/concepts/containers/images/#config-json
 */
export function parseRegistryKey(text: string): RegistryKey | undefined {
  const bare = text.trim().replace(/^https?:\/\//i, '');
  const [authority = '', ...segments] = bare.split('/');
  const parts = /^(\[[^\]]+\]|[^:]+)(?::(\d+))?$/.exec(authority.toLowerCase());
  if (parts?.[1] === undefined) return undefined;
  const path = /^v[12]$/.test(segments[0] ?? '') ? segments.slice(1) : segments;
  return {
    host: canonicalHost(parts[1]),
    port: parts[2] ?? '',
    path: path.filter((segment) => segment !== ''),
    text,
  };
}

/** Whether a credential with this key is meant for this repository: host by label, same port, path as a prefix of whole segments. */
export function isKeyOf(key: RegistryKey, repository: Repository): boolean {
  const target = parseRegistryKey(repository.registry);
  if (target?.port !== key.port) return false;
  const segments = repository.repository.split('/');
  return isHostMatch(key.host, target.host) && key.path.every((segment, index) => segment === segments[index]);
}

/** Orders keys that fit the same repository: the longer path first, then the host with fewer wildcards, the longer host, the text. */
export function compareSpecificity(a: RegistryKey, b: RegistryKey): number {
  return (
    b.path.length - a.path.length ||
    wildcardCount(a.host) - wildcardCount(b.host) ||
    b.host.length - a.host.length ||
    (a.text < b.text ? -1 : Number(a.text > b.text))
  );
}

function canonicalHost(host: string): string {
  return dockerHubHosts.includes(host) ? dockerHub : host;
}

function wildcardCount(host: string): number {
  return host.split('*').length - 1;
}

function isHostMatch(pattern: string, host: string): boolean {
  const patterns = pattern.split('.');
  const labels = host.split('.');
  return patterns.length === labels.length && patterns.every((one, index) => isLabelMatch(one, labels[index] ?? ''));
}

/** Linear in the length of the label: the pattern comes from a Secret of a tenant, and a regular expression could be made to hang. */
function isLabelMatch(pattern: string, label: string): boolean {
  const [head = '', ...rest] = pattern.split('*');
  const tail = rest.pop();
  if (tail === undefined) return pattern === label;
  if (!label.startsWith(head)) return false;
  let at = head.length;
  for (const part of rest) {
    const found = label.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return label.length - tail.length >= at && label.endsWith(tail);
}
