import { describe, expect, it } from 'vitest';
import { errorCodeOf } from './error-codes.ts';

const coded = (code: string, options: ErrorOptions = {}) => Object.assign(new Error('x', options), { code });

describe('errorCodeOf', () => {
  it('finds the code under wrappers that have none', () => {
    const error = new Error('a', { cause: new TypeError('b', { cause: coded('ENOTFOUND') }) });
    expect(errorCodeOf(error)).toMatchObject({ code: 'ENOTFOUND', kind: 'unreachable' });
  });

  it('prefers what says more: the reset under a closed socket, the certificate under anything', () => {
    expect(errorCodeOf(coded('UND_ERR_SOCKET', { cause: coded('ETIMEDOUT') })).code).toBe('ETIMEDOUT');
    const addresses = [coded('ECONNREFUSED'), coded('CERT_HAS_EXPIRED')];
    expect(errorCodeOf(new AggregateError(addresses)).code).toBe('CERT_HAS_EXPIRED');
  });

  it('takes the first of several addresses that failed alike', () => {
    expect(errorCodeOf(new AggregateError([coded('ENETUNREACH'), coded('ECONNREFUSED')])).code).toBe('ENETUNREACH');
  });

  it('looks ten causes deep and no deeper', () => {
    const under = (depth: number): Error =>
      depth === 0 ? coded('ECONNREFUSED') : new Error('wrapper', { cause: under(depth - 1) });
    expect(errorCodeOf(under(10)).code).toBe('ECONNREFUSED');
    expect(errorCodeOf(under(11)).code).toBe('Error');
  });

  it('ends on an error that is its own cause', () => {
    const error = new Error('loop');
    error.cause = error;
    expect(errorCodeOf(error)).toEqual({ code: 'Error', kind: 'unknown', text: 'unexpected error' });
  });

  it.each([
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls'],
    ['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', 'tls'],
    ['ERR_OSSL_PEM_NO_START_LINE', 'tls'],
    ['HPE_INVALID_CONSTANT', 'garbled'],
    ['E_NEVER_SEEN', 'unknown'],
    ['constructor', 'unknown'],
  ])('knows the family of %s', (code, kind) => {
    expect(errorCodeOf(coded(code)).kind).toBe(kind);
  });

  it.each([[undefined], [null], ['text'], [7], [Symbol('x')], [{}], [[]], [{ code: 7 }], [{ code: 'a\nb' }]])(
    'makes something of %s',
    (thrown) => {
      expect(errorCodeOf(thrown).kind).toBe('unknown');
      expect(errorCodeOf(thrown).code).toMatch(/^[a-zA-Z]+$/);
    },
  );
});
