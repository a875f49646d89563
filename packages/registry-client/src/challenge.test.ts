import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseChallenges, usableChallenge } from './challenge.ts';

describe('parseChallenges', () => {
  it.each([
    ['Basic realm="registry"', [['basic', { realm: 'registry' }]]],
    ['basic', [['basic', {}]]],
    [
      'Bearer realm="https://auth.example/token",service="registry.example",scope="repository:a/b:pull,push"',
      [
        [
          'bearer',
          { realm: 'https://auth.example/token', service: 'registry.example', scope: 'repository:a/b:pull,push' },
        ],
      ],
    ],
    ['BEARER Realm = "r" , SERVICE=s', [['bearer', { realm: 'r', service: 's' }]]],
    ['Bearer realm="a\\"b\\\\c"', [['bearer', { realm: 'a"b\\c' }]]],
    ['Bearer realm=""', [['bearer', { realm: '' }]]],
    ['Bearer realm="first",realm="second"', [['bearer', { realm: 'first' }]]],
    [
      'Negotiate, Bearer realm="r", Basic realm="b"',
      [
        ['negotiate', {}],
        ['bearer', { realm: 'r' }],
        ['basic', { realm: 'b' }],
      ],
    ],
    [
      'Negotiate YWJj==, Basic realm="b"',
      [
        ['negotiate', {}],
        ['basic', { realm: 'b' }],
      ],
    ],
    [', ,Basic realm="b", ,', [['basic', { realm: 'b' }]]],
    [
      'Bearer realm="never closed',
      [
        ['bearer', {}],
        ['realm', {}],
      ],
    ],
    ['realm="no scheme"', [['realm', {}]]],
    ['', []],
    ['"', []],
    ['==', []],
  ])('reads %s', (header, expected) => {
    const read = parseChallenges(header).map(({ scheme, parameters }) => [scheme, Object.fromEntries(parameters)]);
    expect(read).toEqual(expected);
  });

  it('never throws, whatever the header', () => {
    const pieces = fc.constantFrom(
      'Bearer',
      'Basic',
      ' ',
      ',',
      '=',
      '"',
      '\\',
      'realm',
      'x',
      '\t',
      '/',
      ';',
      'é',
      '\u0000',
    );
    const header = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(pieces, { maxLength: 40 }).map((all) => all.join('')),
    );
    fc.assert(
      fc.property(header, (text) => {
        for (const { scheme } of parseChallenges(text)) expect(scheme).toMatch(/^\S+$/);
      }),
      { numRuns: 2000 },
    );
  });

  it('reads back every challenge that can be written', () => {
    const token = fc.stringMatching(/^[a-z][a-z0-9_.-]{0,8}$/);
    const parameters = fc.dictionary(token, fc.string({ unit: 'grapheme-ascii' }), { minKeys: 1, maxKeys: 4 });
    const challenge = fc.record({ scheme: token, parameters });
    fc.assert(
      fc.property(fc.array(challenge, { maxLength: 3 }), (challenges) => {
        const header = challenges.map((one) => `${one.scheme} ${write(one.parameters)}`).join(', ');
        const read = parseChallenges(header).map((one) => ({ ...one, parameters: Object.fromEntries(one.parameters) }));
        expect(read).toEqual(challenges);
      }),
    );
  });

  it.each(['"', 'a="', 'Bearer ', 'a b,', '=', '\\"', 'x=y ', 'Basic a'])(
    'needs no more than a moment for a very long header made of %j',
    (piece) => {
      const startedMs = performance.now();
      parseChallenges(piece.repeat(1_000_000));
      expect(performance.now() - startedMs).toBeLessThan(500);
    },
  );
});

describe('usableChallenge', () => {
  it.each([
    [
      'Basic realm="b", Bearer realm="r",service="s",scope="x y"',
      { scheme: 'bearer', realm: 'r', service: 's', scope: 'x y' },
    ],
    ['Bearer service="no realm", Basic realm="b"', { scheme: 'basic' }],
    ['Bearer realm="r"', { scheme: 'bearer', realm: 'r', service: '', scope: '' }],
    ['Negotiate', undefined],
    ['', undefined],
  ])('chooses from %s', (header, expected) => {
    expect(usableChallenge(parseChallenges(header))).toEqual(expected);
  });
});

function write(parameters: Record<string, string>): string {
  const quote = (value: string) => `"${value.replace(/["\\]/g, '\\$&')}"`;
  return Object.entries(parameters)
    .map(([name, value]) => `${name}=${quote(value)}`)
    .join(', ');
}
