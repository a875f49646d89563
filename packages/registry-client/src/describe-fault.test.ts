import { describe, expect, it } from 'vitest';
import { describeFault } from './describe-fault.ts';
import type { Attempt, FaultSite, RegistryFault } from './errors.ts';

const site: FaultSite = { origin: 'https://registry.example', role: 'registry', operation: 'manifest', method: 'GET' };
const attempt: Attempt = { action: 'read manifest', subject: 'registry.example/team/run:1', isReplayable: true };
const coded = (code: string): RegistryFault => {
  const error = Object.assign(new Error('connect to 10.0.0.1:49152 failed'), { code });
  return { kind: 'broken', error, hasResponse: false };
};

describe('describeFault', () => {
  it.each<[RegistryFault, Partial<FaultSite>, Partial<Attempt>, string]>([
    [coded('ECONNREFUSED'), {}, {}, 'connection refused (ECONNREFUSED)'],
    [coded('E_NEVER_SEEN'), {}, {}, 'unexpected error (E_NEVER_SEEN)'],
    [
      coded('ERR_SSL_WRONG_VERSION_NUMBER'),
      { origin: 'https://registry.example:5000' },
      {},
      'host does not speak TLS on this port (ERR_SSL_WRONG_VERSION_NUMBER); if plain HTTP is meant, ' +
        'list it with --plain-http-registry registry.example:5000',
    ],
    [
      coded('UND_ERR_SOCKET'),
      { origin: 'http://registry.example' },
      {},
      'connection closed before the answer was complete (UND_ERR_SOCKET); ' +
        'plain HTTP is spoken to this host because it is listed',
    ],
    [
      coded('UND_ERR_SOCKET'),
      { operation: 'upload', method: 'POST' },
      {},
      'connection closed before the answer was complete (UND_ERR_SOCKET); ' +
        'some registries hang up when the repository does not exist',
    ],
    [{ kind: 'status', status: 503 }, {}, {}, 'answered 503'],
    [
      { kind: 'status', status: 404, registryCode: 'NAME_UNKNOWN', registryMessage: 'no such name' },
      {},
      {},
      'answered 404 (NAME_UNKNOWN: no such name)',
    ],
    [{ kind: 'status', status: 413 }, {}, { sizeBytes: 12 }, 'answered 413; 12 bytes were to be sent'],
    [
      { kind: 'status', status: 401 },
      {},
      { credential: 'anonymous', missingSecrets: ['a', 'b'] },
      'answered 401; no credentials were found for this repository; these Secrets do not exist: a, b',
    ],
    [
      { kind: 'status', status: 401 },
      {},
      { credential: 'anonymous', brokenSecrets: ['c'] },
      'answered 401; no credentials were found for this repository; these Secrets hold no Docker configuration that can be read: c',
    ],
    [
      { kind: 'status', status: 401 },
      {},
      { credential: 'abc', missingSecrets: [] },
      'answered 401; the credentials are wrong or there is no such image',
    ],
    [
      { kind: 'status', status: 403 },
      { role: 'token', origin: 'https://auth.example' },
      { credential: 'abc' },
      'token service auth.example: answered 403',
    ],
    [
      { kind: 'status', status: 403 },
      { role: 'storage', origin: 'https://s.example:9000' },
      { credential: 'abc' },
      'storage host s.example:9000: answered 403',
    ],
    [{ kind: 'overdue' }, {}, {}, 'took too long'],
    [
      { kind: 'unsupportedChallenge', schemes: ['negotiate', 'ntlm'] },
      {},
      { credential: 'abc' },
      'answered 401 and asks for negotiate, ntlm; the credentials are wrong or there is no such image',
    ],
    [{ kind: 'aborted', error: undefined }, {}, {}, 'stopped before the end'],
  ])('says of %j at %j', (fault, where, how, text) => {
    const message = describeFault(fault, { ...site, ...where }, { ...attempt, ...how });
    expect(message).toBe(`Cannot read manifest registry.example/team/run:1: ${text}`);
  });
});
