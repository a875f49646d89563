import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keychainOf } from './keychain.ts';

type Auths = Record<string, unknown>;

function auth(user: string): object {
  return { auth: Buffer.from(`${user}:secret`).toString('base64') };
}

function dockerConfigSecret(auths: Auths) {
  return {
    type: 'kubernetes.io/dockerconfigjson',
    data: { '.dockerconfigjson': Buffer.from(JSON.stringify({ auths })) },
  };
}

/** Name of the user that a keychain of these Secrets, `a` first, goes to a repository with. */
function userAt(image: string, ...secrets: Auths[]): string | undefined {
  const listed = secrets.map((auths, index) => ({ name: `s${index}`, secret: dockerConfigSecret(auths) }));
  const [registry = '', ...path] = image.split('/');
  return keychainOf(listed).credentialFor({ registry, repository: path.join('/') })?.username;
}

describe('a key and a repository', () => {
  const hub = 'index.docker.io/library/busybox';
  it.each([
    { key: 'reg.example', image: 'reg.example/a/b', fits: true },
    { key: 'https://reg.example', image: 'reg.example/a/b', fits: true },
    { key: 'http://reg.example', image: 'reg.example/a/b', fits: true },
    { key: 'HTTPS://REG.example', image: 'reg.example/a/b', fits: true },
    { key: 'reg.example/', image: 'reg.example/a/b', fits: true },
    { key: 'https://reg.example/v1/', image: 'reg.example/a/b', fits: true },
    { key: 'https://reg.example/v2/', image: 'reg.example/a/b', fits: true },
    { key: 'https://reg.example/v2', image: 'reg.example/a/b', fits: true },
    { key: 'reg.example', image: 'other.example/a/b', fits: false },
    { key: 'reg.example', image: 'reg.example.evil/a/b', fits: false },
    { key: 'example', image: 'reg.example/a/b', fits: false },
    { key: 'https://index.docker.io/v1/', image: hub, fits: true },
    { key: 'index.docker.io', image: hub, fits: true },
    { key: 'docker.io', image: hub, fits: true },
    { key: 'https://docker.io/', image: hub, fits: true },
    { key: 'registry-1.docker.io', image: hub, fits: true },
    { key: 'docker.io/library', image: hub, fits: true },
    { key: 'docker.io/other', image: hub, fits: false },
    { key: 'reg.example:5000', image: 'reg.example:5000/a', fits: true },
    { key: 'reg.example:5000', image: 'reg.example/a', fits: false },
    { key: 'reg.example', image: 'reg.example:5000/a', fits: false },
    { key: 'reg.example/a', image: 'reg.example/a/b', fits: true },
    { key: 'reg.example/a/b', image: 'reg.example/a/b', fits: true },
    { key: 'https://reg.example/v2/a/b/', image: 'reg.example/a/b', fits: true },
    { key: 'reg.example/a/b/c', image: 'reg.example/a/b', fits: false },
    { key: 'reg.example/te', image: 'reg.example/team/b', fits: false },
    { key: '*.example', image: 'reg.example/a', fits: true },
    { key: 'r*g.example', image: 'reg.example/a', fits: true },
    { key: 'r*e*g.example', image: 'reg.example/a', fits: true },
    { key: 'r*x*g.example', image: 'reg.example/a', fits: false },
    { key: 'reg*reg.example', image: 'reg.example/a', fits: false },
    { key: '*.example', image: 'a.reg.example/a', fits: false },
    { key: '*', image: 'reg.example/a', fits: false },
    { key: '*.example:5000', image: 'reg.example:5000/a', fits: true },
    { key: '[::1]:5000', image: '[::1]:5000/a', fits: true },
  ])('$key fits $image: $fits', ({ key, image, fits }) => {
    expect(userAt(image, { [key]: auth('user') })).toBe(fits ? 'user' : undefined);
  });
});

describe('several keys that fit', () => {
  it.each([
    { keys: ['reg.example', 'reg.example/team', 'https://reg.example/v2/team/app'], wins: 2, because: 'longest path' },
    { keys: ['*.example/team', 'reg.example'], wins: 0, because: 'path before host' },
    { keys: ['*.example', 'reg.example'], wins: 1, because: 'no wildcard' },
    { keys: ['*.*', 'r*.example'], wins: 1, because: 'fewer wildcards' },
    { keys: ['*.example', 'reg*.example'], wins: 1, because: 'longer host' },
    { keys: ['reg.example', 'https://reg.example'], wins: 1, because: 'text, when all else is equal' },
  ])('$keys: $because', ({ keys, wins }) => {
    const forwards = Object.fromEntries(keys.map((key) => [key, auth(key)]));
    const backwards = Object.fromEntries([...keys].reverse().map((key) => [key, auth(key)]));
    // The colon of a scheme ends the user's name inside of `auth`.
    const winner = keys[wins]!.split(':')[0];
    expect(userAt('reg.example/team/app', forwards)).toBe(winner);
    expect(userAt('reg.example/team/app', backwards)).toBe(winner);
  });

  it('asks the first Secret before a better key of the second', () => {
    const image = 'reg.example/team/app';
    expect(userAt(image, { 'reg.example': auth('first') }, { 'reg.example/team': auth('second') })).toBe('first');
  });

  it('goes on to the second Secret when the first has nothing for the repository', () => {
    expect(userAt('reg.example/app', { 'other.example': auth('first') }, { 'reg.example': auth('second') })).toBe(
      'second',
    );
  });
});

describe('one entry', () => {
  const encoded = (text: string) => Buffer.from(text).toString('base64');
  it.each([
    { entry: { auth: encoded('u:p') }, gives: { username: 'u', password: 'p' } },
    { entry: { auth: encoded('u:p:with:colons') }, gives: { username: 'u', password: 'p:with:colons' } },
    { entry: { auth: encoded('u:p\0\0') }, gives: { username: 'u', password: 'p' } },
    { entry: { auth: encoded('ü:pä') }, gives: { username: 'ü', password: 'pä' } },
    { entry: { auth: encoded('a:b'), username: 'u', password: 'p' }, gives: { username: 'a', password: 'b' } },
    { entry: { username: 'u', password: 'p' }, gives: { username: 'u', password: 'p' } },
    { entry: { auth: '', username: 'u', password: 'p' }, gives: { username: 'u', password: 'p' } },
    { entry: { identitytoken: 't', auth: encoded('u:') }, gives: { username: 'u', password: '', identityToken: 't' } },
    { entry: { identitytoken: 't' }, gives: { identityToken: 't' } },
    { entry: { registrytoken: 't' }, gives: { registryToken: 't' } },
    { entry: {}, gives: undefined },
    { entry: { auth: '' }, gives: undefined },
    { entry: { username: 'u' }, gives: undefined },
  ])('$entry gives $gives', ({ entry, gives }) => {
    const keychain = keychainOf([{ name: 's', secret: dockerConfigSecret({ 'reg.example': entry }) }]);
    expect(keychain.credentialFor({ registry: 'reg.example', repository: 'a' })).toEqual(gives);
    expect(keychain.broken).toEqual([]);
  });
});

describe('keychainOf', () => {
  const good = dockerConfigSecret({ 'reg.example': auth('good') });
  const type = 'kubernetes.io/dockerconfigjson';
  const config = (text: string) => ({ type, data: { '.dockerconfigjson': Buffer.from(text) } });

  it.each([
    { what: 'no JSON', secret: config('{"auths": hunter2') },
    { what: 'no object', secret: config('[]') },
    { what: 'no auths', secret: config('{"hunter2": {}}') },
    { what: 'auths of another type', secret: config('{"auths": "hunter2"}') },
    { what: 'an entry of another type', secret: config('{"auths": {"reg.example": "hunter2"}}') },
    { what: 'an auth that is no base64', secret: config('{"auths": {"reg.example": {"auth": "hunter2!"}}}') },
    { what: 'an auth without a colon', secret: config('{"auths": {"reg.example": {"auth": "aHVudGVyMg=="}}}') },
    { what: 'a key without a host', secret: config('{"auths": {"https:///": {"auth": "YTpi"}}}') },
    { what: 'the key of its type missing', secret: { type, data: { other: Buffer.from('hunter2') } } },
    {
      what: 'a wrong old format',
      secret: { type: 'kubernetes.io/dockercfg', data: { '.dockercfg': Buffer.from('x') } },
    },
  ])('skips and names a Secret with $what', ({ secret }) => {
    const keychain = keychainOf([
      { name: 'bad', secret },
      { name: 'good', secret: good },
    ]);
    expect(keychain.broken).toEqual(['bad']);
    expect(keychain.credentialFor({ registry: 'reg.example', repository: 'a' })?.username).toBe('good');
    expect(JSON.stringify(keychain)).not.toContain('hunter2');
  });

  it('keeps the good entries of a Secret with a bad one', () => {
    const mixed = dockerConfigSecret({ 'bad.example': { auth: '!' }, 'reg.example': auth('good') });
    const keychain = keychainOf([{ name: 'mixed', secret: mixed }]);
    expect(keychain.broken).toEqual(['mixed']);
    expect(keychain.credentialFor({ registry: 'reg.example', repository: 'a' })?.username).toBe('good');
  });

  it('reads the old format, which has no auths around its entries', () => {
    const data = { '.dockercfg': Buffer.from(JSON.stringify({ 'reg.example': auth('old') })) };
    const keychain = keychainOf([{ name: 's', secret: { type: 'kubernetes.io/dockercfg', data } }]);
    expect(keychain.credentialFor({ registry: 'reg.example', repository: 'a' })?.username).toBe('old');
  });

  it('never throws, whatever a Secret holds', () => {
    const content = fc.oneof(
      fc.uint8Array(),
      fc.json().map((text) => Buffer.from(text)),
      fc.json().map((text) => Buffer.from(`{"auths":${text}}`)),
      fc.dictionary(fc.string(), fc.object()).map((auths) => Buffer.from(JSON.stringify({ auths }))),
      fc
        .dictionary(fc.webUrl(), fc.dictionary(fc.constantFrom('auth', 'username', 'password'), fc.string()))
        .map((auths) => Buffer.from(JSON.stringify({ auths }))),
    );
    fc.assert(
      fc.property(content, fc.domain(), fc.string(), (bytes, registry, repository) => {
        const keychain = keychainOf([{ name: 's', secret: { type, data: { '.dockerconfigjson': bytes } } }]);
        keychain.credentialFor({ registry, repository });
      }),
    );
  });

  it('answers at once for a key that is made to be slow', () => {
    const key = `${'*a'.repeat(20_000)}b.example`;
    const startedMs = performance.now();
    expect(userAt(`${'a'.repeat(60)}.example/x`, { [key]: auth('slow') })).toBeUndefined();
    expect(performance.now() - startedMs).toBeLessThan(500);
  });
});
