import { describe, expect, it } from 'vitest';
import { joinScopes, repositoryScope } from './scopes.ts';

describe('joinScopes', () => {
  it.each([
    [[], []],
    [['repository:a:push,pull'], ['repository:a:pull,push']],
    [['repository:a:pull', 'repository:a:push'], ['repository:a:pull,push']],
    [
      ['repository:b:pull', 'repository:a:pull'],
      ['repository:a:pull', 'repository:b:pull'],
    ],
    [
      ['registry:catalog:*', 'aws'],
      ['aws', 'registry:catalog:*'],
    ],
    [['repository:host:5000/a:pull', 'repository:host:5000/a:pull'], ['repository:host:5000/a:pull']],
  ])('makes of %j the list %j', (scopes, expected) => {
    expect(joinScopes(scopes)).toEqual(expected);
  });

  it('gives equal wishes equal text', () => {
    expect(joinScopes([repositoryScope('a', 'pull,push')])).toEqual(
      joinScopes(['repository:a:push', 'repository:a:pull']),
    );
  });
});
