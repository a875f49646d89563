import { errorCodeOf } from './error-codes.ts';
import type { Attempt, FaultSite, RegistryFault } from './errors.ts';

/**
 * The stable text of a failure: operation, image, the host if it is not the registry, and the code. Equal for equal
 * failures, so that writing it into a status changes nothing when nothing changed.
 */
export function describeFault(fault: RegistryFault, site: FaultSite, attempt: Attempt): string {
  const subject = attempt.subject === '' ? '' : ` ${attempt.subject}`;
  return `Cannot ${attempt.action}${subject}: ${whoOf(fault, site)}${whatOf(fault, site, attempt)}`;
}

function whoOf(fault: RegistryFault, site: FaultSite): string {
  if (fault.kind === 'aborted' || fault.kind === 'insecure') return '';
  if (site.role === 'token') return `token service ${hostOf(site)}: `;
  return site.role === 'storage' ? `storage host ${hostOf(site)}: ` : '';
}

function whatOf(fault: RegistryFault, site: FaultSite, attempt: Attempt): string {
  switch (fault.kind) {
    case 'status':
      return `${describeStatus(fault)}${hintForStatus(fault.status, site, attempt)}`;
    case 'broken':
      return describeError(fault.error, site);
    case 'overdue':
      return 'took too long';
    case 'unexpected':
    case 'unusable':
    case 'malformedReference':
      return fault.detail;
    case 'insecure':
      return `sent on to plain HTTP at ${fault.host}, which is not permitted; list the host with --plain-http-registry if it is meant`;
    case 'unsupportedChallenge':
      return `answered 401 and asks for ${fault.schemes.join(', ') || 'nothing'}${hintForStatus(401, site, attempt)}`;
    case 'aborted':
      return 'stopped before the end';
  }
}

function describeStatus(fault: Extract<RegistryFault, { kind: 'status' }>): string {
  const words = [fault.registryCode, fault.registryMessage].filter((word) => word !== undefined && word !== '');
  return words.length === 0 ? `answered ${fault.status}` : `answered ${fault.status} (${words.join(': ')})`;
}

function hintForStatus(status: number, site: FaultSite, attempt: Attempt): string {
  if (status === 413 && attempt.sizeBytes !== undefined) return `; ${attempt.sizeBytes} bytes were to be sent`;
  if (status !== 401 && status !== 403) return '';
  const secrets =
    named('; these Secrets do not exist: ', attempt.missingSecrets) +
    named('; these Secrets hold no Docker configuration that can be read: ', attempt.brokenSecrets);
  if (attempt.credential === 'anonymous') return `; no credentials were found for this repository${secrets}`;
  // Several registries hide a missing repository behind a 401.
  const hint =
    site.role === 'registry' && status === 401 ? '; the credentials are wrong or there is no such image' : '';
  return `${hint}${secrets}`;
}

function named(words: string, secrets: readonly string[] = []): string {
  return secrets.length === 0 ? '' : words + secrets.join(', ');
}

function describeError(error: unknown, site: FaultSite): string {
  const { code, kind, text } = errorCodeOf(error);
  const isTlsToPlainPort = kind === 'tls' && text.startsWith('host does not speak TLS');
  if (isTlsToPlainPort)
    return `${text} (${code}); if plain HTTP is meant, list it with --plain-http-registry ${hostOf(site)}`;
  return `${text} (${code})${kind === 'reset' ? hintForReset(site) : ''}`;
}

function hintForReset(site: FaultSite): string {
  if (site.origin.startsWith('http:')) return '; plain HTTP is spoken to this host because it is listed';
  // A registry of Amazon hangs up on an upload to a repository that does not exist.
  const isNewUpload = site.operation === 'upload' && site.method === 'POST';
  return isNewUpload ? '; some registries hang up when the repository does not exist' : '';
}

function hostOf(site: FaultSite): string {
  return site.origin.replace(/^[a-z]+:\/\//, '');
}
