/** What an error code of the system, of undici or of TLS says happened. */
export type CodeKind =
  /** No connection came about. */
  | 'unreachable'
  | 'connectTimeout'
  /** The connection ended in the middle. */
  | 'reset'
  /** Headers or body did not come in time. */
  | 'stalled'
  /** The certificate can't be trusted. */
  | 'certificate'
  /** The TLS handshake failed for another reason. */
  | 'tls'
  /** Our own CA bundle can't be used. */
  | 'trust'
  /** The other side does not speak HTTP, or not as it promised. */
  | 'garbled'
  /** This process or this machine can't open connections. */
  | 'local'
  /** The client was closed. */
  | 'closed'
  | 'unknown';

/** The most telling code of an error, with words for it. */
export interface ErrorCode {
  readonly code: string;
  readonly kind: CodeKind;
  /** A few words for a person. */
  readonly text: string;
}

const certificate = (text: string) => ['certificate', text] as const;
const unreachable = (text: string) => ['unreachable', text] as const;
const reset = (text: string) => ['reset', text] as const;
const local = (text: string) => ['local', text] as const;
const garbled = (text: string) => ['garbled', text] as const;

/** Every code we know. Tests list them all, and the class each gets. */
export const knownCodes: Readonly<Record<string, readonly [CodeKind, string]>> = {
  ECONNREFUSED: unreachable('connection refused'),
  ENOTFOUND: unreachable('host name not found'),
  EAI_AGAIN: unreachable('name service is busy'),
  EAI_FAIL: unreachable('name service failed'),
  EAI_NODATA: unreachable('host name has no address'),
  EAI_NONAME: unreachable('host name not found'),
  EHOSTUNREACH: unreachable('no route to host'),
  EHOSTDOWN: unreachable('host is down'),
  ENETUNREACH: unreachable('network is unreachable'),
  ETIMEDOUT: ['connectTimeout', 'connection timed out'],
  UND_ERR_CONNECT_TIMEOUT: ['connectTimeout', 'connection timed out'],
  ERR_TLS_HANDSHAKE_TIMEOUT: ['connectTimeout', 'TLS handshake timed out'],
  ERR_SOCKET_CONNECTION_TIMEOUT: ['connectTimeout', 'connection timed out'],
  ECONNRESET: reset('connection reset'),
  ECONNABORTED: reset('connection aborted'),
  EPIPE: reset('connection closed while sending'),
  ENOTCONN: reset('connection closed'),
  UND_ERR_SOCKET: reset('connection closed before the answer was complete'),
  ERR_STREAM_PREMATURE_CLOSE: reset('connection closed before the answer was complete'),
  UND_ERR_HEADERS_TIMEOUT: ['stalled', 'no answer in time'],
  UND_ERR_BODY_TIMEOUT: ['stalled', 'answer stopped in the middle'],
  CERT_HAS_EXPIRED: certificate('certificate has expired'),
  CERT_NOT_YET_VALID: certificate('certificate is not valid yet'),
  CERT_REVOKED: certificate('certificate was revoked'),
  CERT_REJECTED: certificate('certificate was rejected'),
  CERT_UNTRUSTED: certificate('certificate is not trusted'),
  CERT_CHAIN_TOO_LONG: certificate('certificate chain is too long'),
  CERT_SIGNATURE_FAILURE: certificate('certificate has a wrong signature'),
  DEPTH_ZERO_SELF_SIGNED_CERT: certificate('certificate is self-signed'),
  SELF_SIGNED_CERT_IN_CHAIN: certificate('certificate chain has an untrusted root'),
  UNABLE_TO_GET_ISSUER_CERT: certificate('issuer of the certificate is unknown'),
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: certificate('issuer of the certificate is unknown'),
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: certificate('certificate can not be verified'),
  UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY: certificate('certificate can not be verified'),
  INVALID_CA: certificate('issuer of the certificate is no certificate authority'),
  INVALID_PURPOSE: certificate('certificate is for another purpose'),
  PATH_LENGTH_EXCEEDED: certificate('certificate chain is too long'),
  HOSTNAME_MISMATCH: certificate('certificate is for another host'),
  ERR_TLS_CERT_ALTNAME_INVALID: certificate('certificate is for another host'),
  ERR_TLS_CERT_ALTNAME_FORMAT: certificate('certificate names no host properly'),
  CA_BUNDLE_UNUSABLE: ['trust', 'CA bundle of this controller can not be used'],
  EPROTO: ['tls', 'TLS handshake failed'],
  UND_ERR_HEADERS_OVERFLOW: garbled('header of the answer is too large'),
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: garbled('answer has another length than it says'),
  UND_ERR_REQ_CONTENT_LENGTH_MISMATCH: garbled('content has another length than its descriptor says'),
  UND_ERR_RES_EXCEEDED_MAX_SIZE: garbled('answer is too large'),
  EMFILE: local('too many open files in this process'),
  ENFILE: local('too many open files on this machine'),
  ENOBUFS: local('out of network buffers'),
  ENOMEM: local('out of memory'),
  ENETDOWN: local('network of this machine is down'),
  EADDRNOTAVAIL: local('no local address left'),
  EACCES: local('connecting is forbidden on this machine'),
  EPERM: local('connecting is forbidden on this machine'),
  UND_ERR_INFO: reset('connection was given up'),
  UND_ERR_ABORTED: ['closed', 'exchange was given up'],
  UND_ERR_DESTROYED: ['closed', 'client was closed'],
  UND_ERR_CLOSED: ['closed', 'client was closed'],
};

/** Families of codes that have too many members to list. */
const families: readonly (readonly [RegExp, CodeKind, string])[] = [
  // A server without TLS answers the handshake with text, which OpenSSL reads as one of these.
  [
    /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST)$/,
    'tls',
    'host does not speak TLS on this port',
  ],
  [/^ERR_(SSL|TLS|OSSL)_/, 'tls', 'TLS handshake failed'],
  [/^HPE_/, 'garbled', 'answer is not HTTP'],
];

const weight: Readonly<Record<CodeKind, number>> = {
  trust: 5,
  certificate: 4,
  tls: 4,
  unreachable: 3,
  connectTimeout: 3,
  local: 3,
  stalled: 3,
  garbled: 3,
  reset: 2,
  closed: 1,
  unknown: 0,
};

const maxDepth = 10;

/**
 * The most telling code in an error, its `cause`s and its `errors`, to depth 10. Ties go to the first one met.
 * An error without any code gives its name, with kind `unknown`.
 */
export function errorCodeOf(error: unknown): ErrorCode {
  let best: ErrorCode | undefined;
  for (const one of walk(error, maxDepth)) {
    const found = describeCode(one);
    if (found !== undefined && (best === undefined || weight[found.kind] > weight[best.kind])) best = found;
  }
  return best ?? { code: nameOf(error), kind: 'unknown', text: 'unexpected error' };
}

function describeCode(error: object): ErrorCode | undefined {
  const code: unknown = 'code' in error ? error.code : undefined;
  if (typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,63}$/.test(code)) return describeKnown(code);
  // undici gives the errors of its HTTP parser a code only when the parser names one.
  if (error instanceof Error && error.name === 'HTTPParserError') {
    return { code: error.name, kind: 'garbled', text: 'answer is not HTTP' };
  }
  return undefined;
}

function describeKnown(code: string): ErrorCode {
  const known = Object.hasOwn(knownCodes, code) ? knownCodes[code] : undefined;
  if (known !== undefined) return { code, kind: known[0], text: known[1] };
  const family = families.find(([pattern]) => pattern.test(code));
  if (family !== undefined) return { code, kind: family[1], text: family[2] };
  return { code, kind: 'unknown', text: 'unexpected error' };
}

function* walk(error: unknown, depth: number): Generator<object> {
  if (typeof error !== 'object' || error === null || depth < 0) return;
  yield error;
  if ('errors' in error && Array.isArray(error.errors)) {
    for (const inner of error.errors.slice(0, maxDepth)) yield* walk(inner, depth - 1);
  }
  if ('cause' in error) yield* walk(error.cause, depth - 1);
}

function nameOf(error: unknown): string {
  return error instanceof Error && /^[A-Za-z]{1,40}$/.test(error.name) ? error.name : typeof error;
}
