import type { FailureClass, FailureEvidence, FailureReason, FailureScope } from '@buildkeeper/retry-policy';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classify, knownRegistryCodes } from './classify.ts';
import { knownCodes } from './error-codes.ts';
import type { Attempt, FaultSite, RegistryFault } from './errors.ts';

type Row = readonly [FailureClass, FailureScope, FailureEvidence, FailureReason, 'safe' | 'never'];

const read: FaultSite = { origin: 'https://registry.example', role: 'registry', operation: 'manifest', method: 'GET' };
const writeManifest: FaultSite = { ...read, method: 'PUT' };
const startUpload: FaultSite = { ...read, operation: 'upload', method: 'POST' };
const sendBlob: FaultSite = { ...read, operation: 'upload', method: 'PUT' };
const token: FaultSite = { origin: 'https://auth.example', role: 'token', operation: 'token', method: 'GET' };
const storage: FaultSite = { ...read, origin: 'https://storage.example', role: 'storage', operation: 'blob' };

const attempt: Attempt = { action: 'read manifest', subject: 'registry.example/team/run:1', isReplayable: true };

const judge = (fault: RegistryFault, site: FaultSite, how: Partial<Attempt> = {}): Row => {
  const failure = classify(fault, site, { ...attempt, ...how });
  return [failure.class, failure.scope, failure.evidence, failure.reason, failure.inRequestRetry];
};
const status = (code: number, more: object = {}): RegistryFault => ({ kind: 'status', status: code, ...more });
const broken = (code: string, hasResponse = false): RegistryFault => {
  return { kind: 'broken', error: Object.assign(new Error('x'), { code }), hasResponse };
};

const overload: Row = ['transient', 'repository', 'overload', 'RegistryError', 'safe'];
const unexpected: Row = ['transient', 'repository', 'overload', 'UnexpectedContent', 'safe'];
const unauthenticated: Row = ['auth', 'object', 'alive', 'AuthenticationFailed', 'never'];
const denied: Row = ['auth', 'object', 'alive', 'AuthorizationDenied', 'never'];
const absent: Row = ['notFound', 'object', 'alive', 'ImageNotFound', 'never'];
const throttled: Row = ['throttled', 'host', 'alive', 'RegistryThrottled', 'safe'];
const refused: Row = ['invalid', 'object', 'alive', 'RegistryError', 'never'];
const rejected: Row = ['invalid', 'object', 'alive', 'UploadRejected', 'never'];
const badName: Row = ['invalid', 'object', 'alive', 'SpecInvalid', 'never'];
const later: Row = ['transient', 'object', 'alive', 'RegistryError', 'never'];
const lostPush: Row = ['transient', 'object', 'alive', 'UploadRejected', 'never'];
const restart: Row = ['transient', 'object', 'alive', 'UploadRejected', 'safe'];
const unknown: Row = ['transient', 'object', 'none', 'Unknown', 'never'];
const aborted: Row = ['aborted', 'local', 'none', 'ReconcileTimeout', 'never'];
const tls: Row = ['transient', 'host', 'dead', 'TLSVerificationFailed', 'never'];
const dead: Row = ['transient', 'host', 'dead', 'RegistryUnavailable', 'safe'];

describe('classify, by status', () => {
  it.each<[number, Row, Row]>([
    // status, on reading, on writing a manifest
    [204, unexpected, unexpected],
    [304, unexpected, unexpected],
    [307, unexpected, unexpected],
    [400, refused, rejected],
    [401, unauthenticated, unauthenticated],
    [402, denied, denied],
    [403, denied, denied],
    [404, absent, absent],
    [405, refused, rejected],
    [406, refused, rejected],
    [
      407,
      ['auth', 'local', 'none', 'AuthenticationFailed', 'never'],
      ['auth', 'local', 'none', 'AuthenticationFailed', 'never'],
    ],
    [
      408,
      ['transient', 'object', 'alive', 'RegistryTimeout', 'safe'],
      ['transient', 'object', 'alive', 'RegistryTimeout', 'safe'],
    ],
    [409, later, lostPush],
    [410, absent, absent],
    [411, refused, rejected],
    [412, refused, rejected],
    [413, refused, rejected],
    [414, refused, rejected],
    [415, refused, rejected],
    [416, unexpected, unexpected],
    [417, refused, rejected],
    [418, unknown, unknown],
    [
      421,
      ['transient', 'object', 'alive', 'RegistryError', 'safe'],
      ['transient', 'object', 'alive', 'RegistryError', 'safe'],
    ],
    [422, refused, rejected],
    [423, later, lostPush],
    [424, later, lostPush],
    [
      425,
      ['transient', 'object', 'alive', 'RegistryError', 'safe'],
      ['transient', 'object', 'alive', 'RegistryError', 'safe'],
    ],
    [426, refused, rejected],
    [428, refused, rejected],
    [429, throttled, throttled],
    [431, refused, rejected],
    [451, denied, denied],
    [499, overload, overload],
    [500, overload, overload],
    [501, refused, refused],
    [502, overload, overload],
    [503, overload, overload],
    [504, overload, overload],
    [505, refused, refused],
    [507, overload, overload],
    [508, overload, overload],
    [511, overload, overload],
    [520, overload, overload],
    [521, overload, overload],
    [522, overload, overload],
    [523, overload, overload],
    [524, overload, overload],
    [525, overload, overload],
    [526, overload, overload],
    [527, overload, overload],
    [599, overload, overload],
    [600, unknown, unknown],
  ])('judges %i', (code, onRead, onWrite) => {
    expect(judge(status(code), read)).toEqual(onRead);
    expect(judge(status(code), writeManifest)).toEqual(onWrite);
  });

  it('takes a 503 with Retry-After for a request to slow down', () => {
    const row = judge(status(503, { retryAfterMs: 3000 }), read);
    expect(row).toEqual(['throttled', 'host', 'overload', 'RegistryThrottled', 'safe']);
    expect(classify(status(503, { retryAfterMs: 3000 }), read, attempt).retryAfterMs).toBe(3000);
  });

  it.each([401, 403])('does not take a %i of storage for a refusal of the credential', (code) => {
    expect(judge(status(code), storage)).toEqual(['transient', 'repository', 'none', 'RegistryError', 'safe']);
  });
});

describe('classify, by registry code', () => {
  const rows: Record<string, [number, FaultSite, Row]> = {
    UNAUTHORIZED: [400, read, unauthenticated],
    DENIED: [404, read, denied],
    NAME_UNKNOWN: [404, read, absent],
    MANIFEST_UNKNOWN: [404, read, absent],
    MANIFEST_BLOB_UNKNOWN: [404, writeManifest, lostPush],
    NAME_INVALID: [400, read, badName],
    TAG_INVALID: [400, writeManifest, badName],
    MANIFEST_INVALID: [400, writeManifest, rejected],
    MANIFEST_UNVERIFIED: [400, writeManifest, rejected],
    PAGINATION_NUMBER_INVALID: [400, read, refused],
    UNSUPPORTED: [405, read, refused],
    UNKNOWN: [400, read, overload],
    UNAVAILABLE: [400, read, overload],
    TOOMANYREQUESTS: [403, read, throttled],
    BLOB_UPLOAD_UNKNOWN: [404, sendBlob, restart],
    BLOB_UPLOAD_INVALID: [400, sendBlob, restart],
    BLOB_UNKNOWN: [404, sendBlob, restart],
    DIGEST_INVALID: [400, sendBlob, restart],
    SIZE_INVALID: [400, sendBlob, restart],
    RANGE_INVALID: [416, sendBlob, restart],
  };

  it('has a row for every code that is known', () => {
    expect(Object.keys(rows).sort()).toEqual([...knownRegistryCodes].sort());
  });

  it.each(Object.entries(rows))('judges %s', (registryCode, [code, site, row]) => {
    expect(judge(status(code, { registryCode }), site, { canRestart: true })).toEqual(row);
  });

  it.each<[string, number, string, FaultSite, Row]>([
    ['a 401 speaks of the credential, whatever the code', 401, 'MANIFEST_UNKNOWN', read, unauthenticated],
    ['a 403 speaks of the credential, whatever the code', 403, 'UNKNOWN', read, denied],
    ['a 5xx is an outage, whatever the code', 503, 'DENIED', read, overload],
    ['a 5xx that says to slow down is throttling', 500, 'TOOMANYREQUESTS', read, throttled],
    ['a vague code does not hide a 404', 404, 'UNKNOWN', read, absent],
    ["a code that is nobody's counts for nothing", 404, 'constructor', read, absent],
    ['a blob that a manifest needs was lost', 400, 'BLOB_UNKNOWN', writeManifest, lostPush],
    ['a manifest was damaged on its way', 400, 'DIGEST_INVALID', writeManifest, lostPush],
    ['a blob that is read does not exist', 404, 'BLOB_UNKNOWN', { ...read, operation: 'blob' }, absent],
    ['a repository that an upload is for does not exist', 404, 'NAME_UNKNOWN', startUpload, absent],
  ])('knows that %s', (_, code, registryCode, site, row) => {
    expect(judge(status(code, { registryCode }), site)).toEqual(row);
  });
});

describe('classify, of a lost upload session', () => {
  it.each<[string, RegistryFault, FaultSite]>([
    ['416', status(416), sendBlob],
    ['404 after the POST, without a code', status(404), sendBlob],
    ['404 after the POST, to a PATCH', status(404), { ...sendBlob, method: 'PATCH' }],
    ['BLOB_UPLOAD_INVALID', status(400, { registryCode: 'BLOB_UPLOAD_INVALID' }), sendBlob],
  ])('lets the upload start afresh once after %s', (_, fault, site) => {
    expect(judge(fault, site, { canRestart: true })).toEqual(restart);
    expect(judge(fault, site, { canRestart: false })).toEqual(lostPush);
  });

  it.each<[string, RegistryFault, Row]>([
    ['a 404 to the POST', status(404), absent],
    ['a 403', status(403, { registryCode: 'DENIED' }), denied],
    ['a 413', status(413), rejected],
  ])('does not take %s for one', (_, fault, row) => {
    expect(judge(fault, startUpload, { canRestart: true })).toEqual(row);
  });
});

describe('classify, by error code', () => {
  const byKind: Record<string, Row> = {
    unreachable: dead,
    connectTimeout: ['transient', 'host', 'dead', 'RegistryTimeout', 'safe'],
    reset: dead,
    stalled: ['transient', 'host', 'overload', 'RegistryTimeout', 'safe'],
    certificate: tls,
    tls,
    trust: ['transient', 'local', 'none', 'TLSVerificationFailed', 'never'],
    garbled: unexpected,
    local: ['transient', 'local', 'none', 'EgressUnavailable', 'safe'],
    closed: aborted,
  };
  const kinds: Record<string, string> = {
    unreachable: 'ECONNREFUSED ENOTFOUND EAI_AGAIN EAI_FAIL EAI_NODATA EAI_NONAME EHOSTUNREACH EHOSTDOWN ENETUNREACH',
    connectTimeout: 'ETIMEDOUT UND_ERR_CONNECT_TIMEOUT ERR_TLS_HANDSHAKE_TIMEOUT ERR_SOCKET_CONNECTION_TIMEOUT',
    reset: 'ECONNRESET ECONNABORTED EPIPE ENOTCONN UND_ERR_SOCKET UND_ERR_INFO ERR_STREAM_PREMATURE_CLOSE',
    stalled: 'UND_ERR_HEADERS_TIMEOUT UND_ERR_BODY_TIMEOUT',
    certificate:
      'CERT_HAS_EXPIRED CERT_NOT_YET_VALID CERT_REVOKED CERT_REJECTED CERT_UNTRUSTED CERT_CHAIN_TOO_LONG ' +
      'CERT_SIGNATURE_FAILURE DEPTH_ZERO_SELF_SIGNED_CERT SELF_SIGNED_CERT_IN_CHAIN UNABLE_TO_GET_ISSUER_CERT ' +
      'UNABLE_TO_GET_ISSUER_CERT_LOCALLY UNABLE_TO_VERIFY_LEAF_SIGNATURE UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY INVALID_CA ' +
      'INVALID_PURPOSE PATH_LENGTH_EXCEEDED HOSTNAME_MISMATCH ERR_TLS_CERT_ALTNAME_INVALID ERR_TLS_CERT_ALTNAME_FORMAT',
    tls: 'EPROTO',
    trust: 'CA_BUNDLE_UNUSABLE',
    garbled:
      'UND_ERR_HEADERS_OVERFLOW UND_ERR_RES_CONTENT_LENGTH_MISMATCH UND_ERR_REQ_CONTENT_LENGTH_MISMATCH UND_ERR_RES_EXCEEDED_MAX_SIZE',
    local: 'EMFILE ENFILE ENOBUFS ENOMEM ENETDOWN EADDRNOTAVAIL EACCES EPERM',
    closed: 'UND_ERR_ABORTED UND_ERR_DESTROYED UND_ERR_CLOSED',
  };
  const listed = Object.entries(kinds).flatMap(([kind, codes]) =>
    codes.split(' ').map((code) => [code, kind] as const),
  );

  it('has a row for every code that is known', () => {
    expect(listed.map(([code]) => code).sort()).toEqual(Object.keys(knownCodes).sort());
  });

  it.each([
    ...listed,
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls'] as const,
    ['ERR_SSL_TLSV1_ALERT_UNKNOWN_CA', 'tls'] as const,
    ['ERR_OSSL_PEM_NO_START_LINE', 'tls'] as const,
    ['HPE_INVALID_CONSTANT', 'garbled'] as const,
  ])('judges %s as %s', (code, kind) => {
    expect(judge(broken(code), read)).toEqual(byKind[kind]);
  });

  it('does not call a host dead that broke off in the middle of an answer', () => {
    expect(judge(broken('ECONNRESET', true), read)).toEqual([
      'transient',
      'host',
      'none',
      'RegistryUnavailable',
      'safe',
    ]);
  });

  it('calls what nobody knows transient, of this object alone, reason Unknown', () => {
    expect(judge(broken('E_NEVER_SEEN'), read)).toEqual(unknown);
    expect(judge({ kind: 'broken', error: new TypeError('a defect'), hasResponse: false }, read)).toEqual(unknown);
  });
});

describe('classify, of the other faults', () => {
  it.each<[RegistryFault, Row]>([
    [{ kind: 'overdue' }, ['transient', 'host', 'overload', 'RegistryTimeout', 'safe']],
    [{ kind: 'unexpected', detail: 'x' }, unexpected],
    [{ kind: 'unusable', detail: 'x' }, ['invalid', 'object', 'alive', 'ImageInvalid', 'never']],
    [{ kind: 'malformedReference', detail: 'x' }, ['invalid', 'object', 'none', 'SpecInvalid', 'never']],
    [{ kind: 'insecure', host: 'x' }, ['transient', 'object', 'alive', 'TLSVerificationFailed', 'never']],
    [{ kind: 'unsupportedChallenge', schemes: ['negotiate'] }, unauthenticated],
    [{ kind: 'aborted', error: new Error('stop') }, aborted],
  ])('judges %j', (fault, row) => {
    expect(judge(fault, read)).toEqual(row);
  });
});

describe('classify, of the token service', () => {
  const unavailable = (evidence: FailureEvidence): Row => [
    'transient',
    'host',
    evidence,
    'TokenServiceUnavailable',
    'safe',
  ];

  it.each<[string, RegistryFault, Row]>([
    ['refused', broken('ECONNREFUSED'), unavailable('dead')],
    ['reset', broken('ECONNRESET', true), unavailable('none')],
    ['no answer', broken('UND_ERR_HEADERS_TIMEOUT'), unavailable('overload')],
    ['502', status(502), unavailable('overload')],
    ['no token in the answer', { kind: 'unexpected', detail: 'x' }, unavailable('overload')],
    ['404', status(404), ['transient', 'host', 'alive', 'TokenServiceUnavailable', 'never']],
    ['401', status(401), unauthenticated],
    ['403', status(403), denied],
    ['400', status(400), unauthenticated],
    ['429', status(429), throttled],
    [
      'a realm at plain HTTP',
      { kind: 'insecure', host: 'x' },
      ['transient', 'object', 'alive', 'TLSVerificationFailed', 'never'],
    ],
    ['a bad certificate', broken('CERT_HAS_EXPIRED'), tls],
    ['too many open files here', broken('EMFILE'), ['transient', 'local', 'none', 'EgressUnavailable', 'safe']],
    ['an unknown error', broken('E_NEVER_SEEN'), unknown],
    ['an abort', { kind: 'aborted', error: undefined }, aborted],
  ])('judges %s', (_, fault, row) => {
    expect(judge(fault, token)).toEqual(row);
  });

  it('keys the failure to the host of the token service', () => {
    expect(classify(status(502), token, attempt).origin).toBe('https://auth.example');
  });
});

describe('classify', () => {
  it('never lets what can not be done again be done again', () => {
    expect(judge(status(503), read, { isReplayable: false })).toEqual([...overload.slice(0, 4), 'never']);
  });

  it('carries what the gate, the status and the log need', () => {
    const fault = status(404, { registryCode: 'NAME_UNKNOWN' });
    const failure = classify(fault, read, { ...attempt, repository: 'team/run', credential: 'abc' });
    expect(failure).toMatchObject({
      origin: 'https://registry.example',
      repository: 'team/run',
      credential: 'abc',
      httpStatus: 404,
      registryCode: 'NAME_UNKNOWN',
    });
  });

  it('judges every status and every thrown value', () => {
    const anyStatus = fc.record({
      kind: fc.constant('status' as const),
      status: fc.integer(),
      registryCode: fc.string(),
    });
    const anyError = fc.record({
      kind: fc.constant('broken' as const),
      error: fc.anything(),
      hasResponse: fc.boolean(),
    });
    const site = fc.constantFrom(read, writeManifest, startUpload, sendBlob, token, storage);
    fc.assert(
      fc.property(fc.oneof(anyStatus, anyError), site, (fault, at) => {
        const failure = classify(fault, at, attempt);
        expect(failure.message).toMatch(/^Cannot read manifest registry\.example\/team\/run:1: [\x20-\x7e]+$/);
      }),
      { numRuns: 1000 },
    );
  });
});
