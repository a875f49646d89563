import { describe, expect, it } from 'vitest';
import { parseHttpAddress, urlOf } from './http-address.ts';

describe('parseHttpAddress', () => {
  it.each([
    { text: ':8080', host: undefined, port: 8080, url: 'http://localhost:8080' },
    { text: ':0', host: undefined, port: 0, url: 'http://localhost:0' },
    { text: '127.0.0.1:80', host: '127.0.0.1', port: 80, url: 'http://127.0.0.1:80' },
    { text: '0.0.0.0:80', host: '0.0.0.0', port: 80, url: 'http://localhost:80' },
    { text: '[::1]:80', host: '::1', port: 80, url: 'http://[::1]:80' },
    { text: '[::]:80', host: '::', port: 80, url: 'http://localhost:80' },
    { text: 'pod.example:65535', host: 'pod.example', port: 65_535, url: 'http://pod.example:65535' },
  ])('reads $text, reached at $url', ({ text, host, port, url }) => {
    expect(parseHttpAddress(text)).toEqual({ host, port });
    expect(urlOf({ host, port })).toBe(url);
  });

  it.each(['', '8080', 'localhost', '::1:80', ':65536', ':-1', 'http://localhost:80', ':80/metrics', '[::1]'])(
    'refuses %j',
    (text) => {
      expect(parseHttpAddress(text)).toBeUndefined();
    },
  );
});
