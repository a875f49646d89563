import { describe, expect, it } from 'vitest';
import { quoteError } from './error-body.ts';
import { json } from './testing/images.ts';

const quote = (error: unknown, secrets: string[] = []) => quoteError(json({ errors: [error] }), secrets);

describe('quoteError', () => {
  it('quotes the code and the message of the first error', () => {
    const body = json({ errors: [{ code: 'DENIED', message: 'read only mode' }, { code: 'UNKNOWN' }] });
    expect(quoteError(body, [])).toEqual({ registryCode: 'DENIED', registryMessage: 'read only mode' });
  });

  it.each([
    ['requested access to 10.0.0.7:49152 at 12:03:44 is denied', 'requested access to … at … is denied'],
    ['see https://registry.example/help?token=abc now', 'see … now'],
    [`id ${'x'.repeat(41)}`, 'id …'],
    ['two\nlines\u0000\u001b[31m', 'two lines …'],
    ['x y '.repeat(100), 'x y '.repeat(25).trim()],
  ])('keeps of %j only what is the same tomorrow', (message, expected) => {
    expect(quote({ code: 'DENIED', message }).registryMessage).toBe(expected);
  });

  it('drops a message that holds a secret', () => {
    expect(quote({ code: 'DENIED', message: 'password hunter is wrong' }, ['hunter'])).toEqual({
      registryCode: 'DENIED',
    });
  });

  it.each([[{ code: 'not a code', message: 7 }], [{ code: '__PROTO__'.toLowerCase() }], ['text'], [null], [{}]])(
    'quotes nothing of %j',
    (error) => {
      expect(quote(error)).toEqual({});
    },
  );

  it.each([['<html>503</html>'], ['{"errors":'], ['{"errors":{}}'], ['[]'], ['{"errors":[]}'], ['']])(
    'quotes nothing of the body %j',
    (body) => {
      expect(quoteError(Buffer.from(body), [])).toEqual({});
    },
  );
});
