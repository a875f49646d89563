import { describe, expect, it } from 'vitest';
import { destinationOf } from './location.ts';

const listed = (url: URL) => url.host === 'plain.example';

describe('destinationOf', () => {
  it.each([
    [
      'relative',
      'https://r.example:8443/v2/a/blobs/uploads/',
      '/v2/a/u?_state=x',
      'https://r.example:8443/v2/a/u?_state=x',
    ],
    ['absolute', 'https://r.example/v2/', 'https://s.example/x', 'https://s.example/x'],
    ['up from http', 'http://plain.example/v2/', 'https://s.example/x', 'https://s.example/x'],
    ['down on the same host', 'https://r.example/v2/', 'http://r.example/v2/u', 'https://r.example/v2/u'],
    [
      'down on the same host, another port',
      'https://r.example:8443/',
      'http://r.example:5000/u',
      'https://r.example:8443/u',
    ],
    ['down to a listed host', 'https://r.example/v2/', 'http://plain.example/u', 'http://plain.example/u'],
    [
      'plain to the same plain host, another port',
      'http://r.example:1/',
      'http://r.example:2/u',
      'http://r.example:2/u',
    ],
    ['with a user name', 'https://r.example/', 'https://user:secret@s.example/x#y', 'https://s.example/x'],
  ])('leads %s', (_, base, address, expected) => {
    const destination = destinationOf(address, new URL(base), listed);
    expect(destination.kind === 'url' && destination.url.href).toBe(expected);
  });

  it.each([
    ['https://r.example/', 'http://s.example/x'],
    ['http://r.example/', 'http://s.example/x'],
    ['https://r.example/', 'http://s.example:80/x'],
  ])('refuses plain HTTP from %s to %s', (base, address) => {
    expect(destinationOf(address, new URL(base), listed)).toEqual({ kind: 'insecure', host: 's.example' });
  });

  it.each(['ftp://s.example/x', 'http://', 'https://[', 'file:///etc/passwd', 'data:,x'])(
    'can not use %s',
    (address) => {
      expect(destinationOf(address, new URL('https://r.example/'), listed)).toEqual({ kind: 'malformed' });
    },
  );
});
