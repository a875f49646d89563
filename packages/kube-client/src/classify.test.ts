import { failureReasons, type Failure } from '@buildkeeper/retry-policy';
import { describe, expect, it } from 'vitest';
import { classify, codeOf, type KubeFault } from './classify.ts';

const attempt = { action: 'get v1 secrets team/one', origin: 'https://api.test', isIdempotent: true };
const status = (code: number): KubeFault => ({
  kind: 'status',
  status: code,
  retryAfterMs: undefined,
  body: undefined,
});
const network = (code?: string): KubeFault => ({
  kind: 'network',
  error: code === undefined ? new Error('no code') : Object.assign(new Error('some words'), { code }),
});

type Row = readonly [string, KubeFault, string];
const row = (fault: KubeFault, judged: string): Row => {
  const name =
    fault.kind === 'status' ? `${fault.status}` : fault.kind === 'network' ? `${codeOf(fault.error)}` : fault.kind;
  return [name, fault, judged];
};

// class / scope / evidence / may be repeated in place
const table: readonly Row[] = [
  ...[400, 405, 406, 413, 415, 422].map((code) => row(status(code), 'invalid object alive never')),
  ...[401, 403].map((code) => row(status(code), 'auth object alive never')),
  row(status(407), 'auth local none never'),
  row(status(404), 'notFound object alive never'),
  ...[408, 425].map((code) => row(status(code), 'transient object alive safe')),
  row(status(409), 'conflict object alive never'),
  row(status(410), 'transient object alive never'),
  row(status(429), 'throttled host alive safe'),
  ...[500, 501, 502, 503, 504, 505, 507, 508, 511, 520, 524, 529, 599].map((code) =>
    row(status(code), 'transient host overload safe'),
  ),
  ...[100, 204, 301, 302, 304, 307, 402, 411, 412, 418, 426, 428, 431, 451, 499, 600].map((code) =>
    row(status(code), code >= 600 ? 'transient host overload safe' : 'transient object none never'),
  ),
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT'].map((code) =>
    row(network(code), 'transient host dead safe'),
  ),
  ...['UND_ERR_CONNECT_TIMEOUT', 'CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT'].map((code) =>
    row(network(code), 'transient host dead safe'),
  ),
  ...['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].map((code) => row(network(code), 'transient host none safe')),
  ...['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'].map((code) =>
    row(network(code), 'transient host overload safe'),
  ),
  row(network(), 'transient host none safe'),
  row({ kind: 'network', error: 'not even an error' }, 'transient host none safe'),
  row({ kind: 'timeout', limit: 'time of a call' }, 'transient host overload never'),
  row({ kind: 'malformed', detail: 'not JSON' }, 'transient host overload safe'),
  row({ kind: 'credentials', error: new Error('secret words') }, 'auth local none never'),
  row({ kind: 'aborted', error: new Error('stop') }, 'aborted local none never'),
];

const judgement = (failure: Failure) =>
  `${failure.class} ${failure.scope} ${failure.evidence} ${failure.inRequestRetry}`;

describe('classify', () => {
  it.each(table)('judges %s', (_, fault, judged) => {
    expect(judgement(classify(fault, attempt))).toBe(judged);
  });

  it.each(table)('lets nothing be repeated that is not idempotent: %s', (_, fault) => {
    expect(classify(fault, { ...attempt, isIdempotent: false }).inRequestRetry).toBe('never');
  });

  it.each(table)('gives %s a reason of the closed list and a message without secrets', (_, fault) => {
    const failure = classify(fault, attempt);
    expect(failureReasons).toContain(failure.reason);
    expect(failure.reason).toBe(failure.class === 'conflict' ? 'Conflict' : 'KubernetesAPIError');
    expect(failure.message).toMatch(/^Cannot get v1 secrets team\/one: /);
    expect(failure.message).not.toMatch(/words/);
    expect(failure.origin).toBe('https://api.test');
  });

  it('carries the status and how long the server asks to wait', () => {
    const failure = classify({ kind: 'status', status: 429, retryAfterMs: 7000, body: undefined }, attempt);
    expect(failure).toMatchObject({ httpStatus: 429, retryAfterMs: 7000 });
    expect(classify(network('EPIPE'), attempt)).not.toHaveProperty('retryAfterMs');
  });

  it.each([
    [status(503), '503 Service Unavailable'],
    [status(599), '599'],
    [refusal(503, 'ServiceUnavailable', 'read tcp 10.0.0.1:41234: reset'), '503 ServiceUnavailable'],
    [refusal(409, 'Conflict', 'the object has been modified'), '409 Conflict'],
    [
      refusal(403, 'Forbidden', 'secrets is forbidden: User "x" cannot list'),
      '403 secrets is forbidden: User "x" cannot list',
    ],
    [refusal(422, 'Invalid', 'spec.tag: Required value'), '422 spec.tag: Required value'],
    [refusal(422, 'Invalid', 'y'.repeat(5000)), `422 ${'y'.repeat(512)}`],
    [network('ECONNREFUSED'), 'ECONNREFUSED'],
    [network(), 'the connection failed'],
    [{ kind: 'timeout', limit: 'time of a call' } as const, 'the time of a call ran out'],
  ])('words %# as a stable text', (fault, text) => {
    expect(classify(fault, attempt).message).toBe(`Cannot get v1 secrets team/one: ${text}`);
  });

  it('passes on no word that an exec plugin printed', () => {
    const error = Object.assign(new Error('token eyJhbGciOi'), { code: 'ENOENT' });
    const failure = classify({ kind: 'credentials', error }, attempt);
    expect(failure.cause).toBe('ENOENT');
    expect(failure.message).toContain('(ENOENT)');
  });
});

describe('codeOf', () => {
  it('finds the most specific code through causes and aggregates', () => {
    const refused = Object.assign(new Error(''), { code: 'ECONNREFUSED' });
    const wrapped = new TypeError('', { cause: new AggregateError([new Error(''), refused]) });
    expect(codeOf(Object.assign(wrapped, { code: 'OUTER' }))).toBe('ECONNREFUSED');
  });

  it('ends on a chain without an end', () => {
    const error = new Error('loop');
    error.cause = error;
    expect(codeOf(error)).toBeUndefined();
  });
});

function refusal(code: number, reason: string, message: string): KubeFault {
  return { kind: 'status', status: code, retryAfterMs: undefined, body: { reason, message } };
}
