import { parseFamiliarName } from '@swimlane/docker-reference';
import { failureOf } from '@buildkeeper/retry-policy';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalRegistry, formatReference, parseReference, tagOf } from './reference.ts';

const hex = 'a1'.repeat(32);

describe('parseReference', () => {
  it.each([
    ['busybox', 'index.docker.io', 'library/busybox', undefined, undefined],
    ['busybox:1.36', 'index.docker.io', 'library/busybox', '1.36', undefined],
    ['paketo/run', 'index.docker.io', 'paketo/run', undefined, undefined],
    ['docker.io/busybox', 'index.docker.io', 'library/busybox', undefined, undefined],
    ['index.docker.io/paketo/run:x', 'index.docker.io', 'paketo/run', 'x', undefined],
    ['registry-1.docker.io/busybox', 'index.docker.io', 'library/busybox', undefined, undefined],
    ['localhost/app', 'localhost', 'app', undefined, undefined],
    ['localhost:5000/app:v1', 'localhost:5000', 'app', 'v1', undefined],
    ['Registry.Example/team/app', 'registry.example', 'team/app', undefined, undefined],
    ['registry.example:443/a/b/c', 'registry.example:443', 'a/b/c', undefined, undefined],
    ['[::1]/app', '[::1]', 'app', undefined, undefined],
    ['[2001:db8::1]:5000/team/app:v1', '[2001:db8::1]:5000', 'team/app', 'v1', undefined],
    [`registry.example/app@sha256:${hex}`, 'registry.example', 'app', undefined, `sha256:${hex}`],
    [`registry.example:5000/app:v1@sha256:${hex}`, 'registry.example:5000', 'app', 'v1', `sha256:${hex}`],
    ['registry.example/a_b/c__d/e-f/g--h/i.j', 'registry.example', 'a_b/c__d/e-f/g--h/i.j', undefined, undefined],
  ])('reads %s', (text, registry, repository, tag, digest) => {
    const reference = parseReference(text);
    expect(reference).toEqual({
      registry,
      repository,
      text,
      ...(tag !== undefined && { tag }),
      ...(digest !== undefined && { digest }),
    });
  });

  it.each([
    ['', 'the repository is malformed'],
    ['registry.example/', 'the repository is malformed'],
    ['registry.example/Team/app', 'the repository must be in lower case'],
    ['https://registry.example/app', 'it starts with a scheme'],
    ['registry.example/app:', 'the tag is malformed'],
    ['registry.example/app:-x', 'the tag is malformed'],
    [`registry.example/app:${'t'.repeat(129)}`, 'the tag is malformed'],
    ['registry.example/app@sha256:abc', 'the digest is malformed'],
    [`registry.example/app@sha256:${hex.toUpperCase()}`, 'the digest is malformed'],
    [`registry.example/app@md5:${hex}`, 'the digest is malformed'],
    ['-registry.example/app', 'the host is malformed'],
    ['registry.example:port/app', 'the host is malformed'],
    ['[::1/app', 'the host is malformed'],
    ['registry.example/a//b', 'the repository is malformed'],
    ['registry.example/../app', 'the repository is malformed'],
    ['registry.example/a___b', 'the repository is malformed'],
    [hex, 'it is an image id'],
    [`registry.example/${'a'.repeat(250)}`, 'it is too long'],
    ['registry.example/app\n', 'the repository is malformed'],
  ])('refuses %j because %s', (text, problem) => {
    const failure = refusalOf(text);
    expect(failure).toMatchObject({ class: 'invalid', reason: 'SpecInvalid', inRequestRetry: 'never' });
    expect(failure.message).toContain(`"${text.slice(0, 255)}" is no image reference: ${problem}`);
  });

  it('shows nothing of the query of a pasted URL', () => {
    const failure = refusalOf('https://registry.example/app?token=secret');
    expect(failure.message).not.toContain('secret');
  });

  it('agrees with the reference parser of Docker on what it accepts', () => {
    const host = fc.constantFrom(
      '',
      'localhost/',
      'localhost:5000/',
      'registry.example/',
      'docker.io/',
      'a.b.c:1/',
      'Up/',
    );
    const path = fc.stringMatching(/^[a-z0-9._\-/A-Z]{0,12}$/);
    const tag = fc.oneof(fc.constant(''), fc.stringMatching(/^:[\w.-]{0,5}$/));
    const digest = fc.constantFrom('', `@sha256:${hex}`, '@sha256:abc');
    fc.assert(
      fc.property(host, path, tag, digest, (...parts) => {
        const text = parts.join('');
        expect(read(() => readByUs(text))).toEqual(read(() => readByDocker(text)));
      }),
      { numRuns: 1000 },
    );
  });

  it('reads back what formatReference writes', () => {
    for (const text of ['busybox', 'localhost:5000/a/b:c', `[::1]:80/app:v@sha256:${hex}`]) {
      const reference = parseReference(text);
      expect(parseReference(formatReference(reference))).toEqual({ ...reference, text: formatReference(reference) });
    }
  });
});

describe('tagOf', () => {
  it('is latest when the reference names none', () => {
    expect(tagOf(parseReference('busybox'))).toBe('latest');
    expect(tagOf(parseReference('busybox:1'))).toBe('1');
  });
});

describe('canonicalRegistry', () => {
  it('gives all names of Docker Hub and all spellings of a host one name', () => {
    expect(['docker.io', 'Index.Docker.io', 'registry-1.docker.io'].map(canonicalRegistry)).toEqual(
      Array(3).fill('index.docker.io'),
    );
    expect(canonicalRegistry('Registry.Example:5000')).toBe('registry.example:5000');
  });
});

function refusalOf(text: string) {
  try {
    parseReference(text);
  } catch (error) {
    return failureOf(error)!;
  }
  throw new Error('it was accepted');
}

function read<T>(parse: () => T): T | 'refused' {
  try {
    return parse();
  } catch {
    return 'refused';
  }
}

function readByUs(text: string) {
  const { registry, repository, tag, digest } = parseReference(text);
  return { registry, repository, tag, digest };
}

function readByDocker(text: string) {
  const { domain = '', repository = '', tag, digest } = parseFamiliarName(text);
  return { registry: canonicalRegistry(domain), repository, tag, digest };
}
