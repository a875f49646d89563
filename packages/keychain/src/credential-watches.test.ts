import { anonymousKeychain } from '@buildkeeper/registry-client';
import { describe, expect, it } from 'vitest';
import { credentialWatches } from './credential-watches.ts';
import { type Keychains } from './keychain.ts';

interface Candidate {
  readonly account?: { readonly namespace?: string; readonly name?: string };
}

const keychains: Keychains = {
  forServiceAccount: () => Promise.resolve(undefined),
  forReference: () => Promise.resolve(anonymousKeychain),
  uses: ({ namespace, name }, secretName) => `${namespace}/${name}/${secretName}` === 'team/robot/registry',
};
const [accounts, secrets] = credentialWatches<Candidate, { keychains: Keychains }>(({ account }) => [account]);
const changed = (namespace: string, name: string) => ({
  metadata: { namespace, name, uid: '1', resourceVersion: '1' },
});

describe('credentialWatches', () => {
  it.each([
    { what: 'its account', watch: accounts, object: changed('team', 'robot'), wakes: true },
    { what: 'an account of the same name elsewhere', watch: accounts, object: changed('other', 'robot'), wakes: false },
    { what: 'another account', watch: accounts, object: changed('team', 'default'), wakes: false },
    { what: 'a Secret that its account lists', watch: secrets, object: changed('team', 'registry'), wakes: true },
    { what: 'another Secret of the namespace', watch: secrets, object: changed('team', 'other'), wakes: false },
    { what: 'a Secret of that name elsewhere', watch: secrets, object: changed('other', 'registry'), wakes: false },
  ])('wake an object by $what: $wakes', ({ watch, object, wakes }) => {
    const candidate = { account: { namespace: 'team', name: 'robot' } };
    expect(watch?.affects(object, candidate, { keychains })).toBe(wakes);
  });

  it.each([{}, { account: { name: 'robot' } }, { account: { namespace: 'team' } }])(
    'wake nobody for %o',
    (candidate) => {
      expect(accounts?.affects(changed('team', 'robot'), candidate, { keychains })).toBe(false);
    },
  );

  it('read metadata only, and only where Secrets may be watched', () => {
    for (const watch of [accounts, secrets]) {
      expect(watch?.metadataOnly).toBe(true);
      expect(watch?.whenEnabled({ watchSecrets: false })).toBe(false);
      expect(watch?.whenEnabled({ watchSecrets: true })).toBe(true);
    }
  });
});
