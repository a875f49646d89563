import { classify, localSite } from './classify.ts';
import { RegistryError } from './errors.ts';

/** One repository of one registry. */
export interface Repository {
  /** Canonical `host[:port]`; Docker Hub is `index.docker.io`. */
  readonly registry: string;
  /** Path without the host, for instance `library/busybox`. */
  readonly repository: string;
}

/** A parsed image reference. */
export interface ImageReference extends Repository {
  readonly tag?: string;
  readonly digest?: string;
  /** The reference as it was given. */
  readonly text: string;
}

/** Docker Hub as it is written in canonical references. */
export const dockerHub = 'index.docker.io';

const dockerHubNames: ReadonlySet<string> = new Set(['docker.io', dockerHub, 'registry-1.docker.io']);

const label = '[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?';
const hostPattern = new RegExp(`^(?:${label}(?:\\.${label})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]{1,5})?$`);
const component = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
const pathPattern = new RegExp(`^${component}(?:/${component})*$`);
const tagPattern = /^\w[\w.-]{0,127}$/;
const digestPattern = /^(?:sha256:[0-9a-f]{64}|sha384:[0-9a-f]{96}|sha512:[0-9a-f]{128})$/;
const maxNameLength = 255;

/**
 * Reads an image reference as Docker does: the names of Docker Hub are one registry, `busybox` is
 * `index.docker.io/library/busybox`, and the first part is a host only if it looks like one.
 * Neither tag nor digest given leaves both undefined; see {@link tagOf}.
 * Throws RegistryError (class `invalid`, reason SpecInvalid) that names the text.
 *
 * @see https://github.com/distribution/reference
 */
export function parseReference(text: string): ImageReference {
  if (/^[a-z]+:\/\//.test(text)) throw malformed(text, 'it starts with a scheme, which a reference does not have');
  const at = text.indexOf('@');
  const digest = at === -1 ? undefined : text.slice(at + 1);
  if (digest !== undefined && !digestPattern.test(digest)) throw malformed(text, 'the digest is malformed');
  const named = at === -1 ? text : text.slice(0, at);
  const colon = named.lastIndexOf(':');
  // A colon before the last slash belongs to the port of the host.
  const hasTag = colon > named.lastIndexOf('/');
  const tag = hasTag ? named.slice(colon + 1) : undefined;
  if (tag !== undefined && !tagPattern.test(tag)) throw malformed(text, 'the tag is malformed');
  const repository = parseName(hasTag ? named.slice(0, colon) : named, text);
  return { ...repository, ...(tag !== undefined && { tag }), ...(digest !== undefined && { digest }), text };
}

/** The tag that a reference means: its own, or `latest`. */
export function tagOf(reference: ImageReference): string {
  return reference.tag ?? 'latest';
}

/** The canonical text of a reference, with the host and with all that is given of tag and digest. */
export function formatReference(
  reference: Repository & { readonly tag?: string | undefined; readonly digest?: string | undefined },
): string {
  const tag = reference.tag === undefined ? '' : `:${reference.tag}`;
  const digest = reference.digest === undefined ? '' : `@${reference.digest}`;
  return `${reference.registry}/${reference.repository}${tag}${digest}`;
}

/** The canonical spelling of a registry host: lower case, and one name for Docker Hub. */
export function canonicalRegistry(host: string): string {
  const lower = host.toLowerCase();
  return dockerHubNames.has(lower) ? dockerHub : lower;
}

/** Whether the text is a digest that can be checked: sha256, sha384 or sha512 in lower-case hex. */
export function isDigest(text: string): boolean {
  return digestPattern.test(text);
}

function parseName(name: string, text: string): Repository {
  const slash = name.indexOf('/');
  const first = name.slice(0, Math.max(0, slash));
  const host = looksLikeHost(first) ? first : undefined;
  const registry = canonicalRegistry(host ?? dockerHub);
  const given = host === undefined ? name : name.slice(slash + 1);
  if (host !== undefined && !hostPattern.test(host)) throw malformed(text, 'the host is malformed');
  if (!pathPattern.test(given)) {
    const isLower = given === given.toLowerCase();
    throw malformed(text, isLower ? 'the repository is malformed' : 'the repository must be in lower case');
  }
  if (/^[0-9a-f]{64}$/.test(name)) throw malformed(text, 'it is an image id');
  const repository = registry === dockerHub && !given.includes('/') ? `library/${given}` : given;
  if (registry.length + repository.length >= maxNameLength) throw malformed(text, 'it is too long');
  return { registry, repository };
}

function looksLikeHost(first: string): boolean {
  return /[.:]/.test(first) || first === 'localhost';
}

function malformed(text: string, problem: string): RegistryError {
  // What follows a question mark may be a secret of a pasted URL.
  const shown = text.replace(/\?.*$/s, '').slice(0, maxNameLength);
  const fault = { kind: 'malformedReference', detail: `"${shown}" is no image reference: ${problem}` } as const;
  return new RegistryError(classify(fault, localSite, { action: 'read reference', subject: '', isReplayable: false }));
}
