import { anonymousKeychain } from '@buildkeeper/registry-client';
import { describe, expect, it } from 'vitest';
import { sha256 } from './digest.ts';
import { inputsDigest, type DigestedInputs } from './inputs-digest.ts';

const image = (name: string, content = name) => ({
  image: name,
  latestImage: `reg.example/${name}@${sha256(content)}`,
});
const entry = {
  id: 'a',
  version: '1',
  api: '0.10',
  diffId: sha256('diff'),
  digest: sha256('blob'),
  size: 1,
  storeImage: { image: 'reg.example/a' },
  buildpackage: { id: 'a' },
};
const source = { kind: 'ClusterStore' as const, name: 's', buildpacks: [], keychain: anonymousKeychain };
const inputs: DigestedInputs = {
  tag: 'reg.example/b:t',
  stack: { id: 's', buildImage: image('build'), runImage: image('run'), mixins: ['m'], userId: 1, groupId: 2 },
  lifecycle: {
    image: image('lifecycle'),
    version: '1',
    api: {},
    apis: { buildpack: { deprecated: null, supported: ['0.10'] }, platform: { deprecated: null, supported: ['0.9'] } },
    platform: { os: 'linux', arch: 'amd64', variant: '' },
    layer: { digest: sha256('l'), diffId: sha256('d'), sizeBytes: 3, compression: 'gzip' },
  },
  order: [{ group: [{ id: 'a', version: '1' }] }],
  buildpacks: [{ id: 'a', version: '1', entry, source }],
  additionalLabels: { l: '1' },
};
const withEntry = (changes: object) => ({
  ...inputs,
  buildpacks: [{ id: 'a', version: '1', entry: { ...entry, ...changes }, source }],
});
const withStack = (changes: object) => ({ ...inputs, stack: { ...inputs.stack, ...changes } });
const withLifecycle = (changes: object) => ({ ...inputs, lifecycle: { ...inputs.lifecycle, ...changes } });

function reversed<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).reverse()) as T;
}

describe('inputsDigest', () => {
  it.each<[string, DigestedInputs]>([
    ['the tag', { ...inputs, tag: 'reg.example/b:u' }],
    ['the stack id', withStack({ id: 't' })],
    ['the build image', withStack({ buildImage: image('build', 'moved') })],
    ['the run image', withStack({ runImage: image('run', 'moved') })],
    ['the mixins', withStack({ mixins: [] })],
    ['the user', withStack({ userId: 9 })],
    ['the group', withStack({ groupId: 9 })],
    ['the lifecycle image', withLifecycle({ image: image('lifecycle', 'moved') })],
    ['the lifecycle version', withLifecycle({ version: '2' })],
    ['the order', { ...inputs, order: [{ group: [{ id: 'a', version: '1', optional: true }] }] }],
    ['the labels', { ...inputs, additionalLabels: { l: '2' } }],
    ['the layer of a buildpack', withEntry({ diffId: sha256('other') })],
    ['the blob of a buildpack', withEntry({ digest: sha256('other') })],
    ['the API of a buildpack', withEntry({ api: '0.11' })],
    ['the stacks of a buildpack', withEntry({ stacks: [{ id: '*' }] })],
    ['the targets of a buildpack', withEntry({ targets: [{ os: 'linux' }] })],
    ['the homepage of a buildpack', withEntry({ homepage: 'h' })],
    ['the name of a buildpack', withEntry({ name: 'n' })],
    ['another buildpack', { ...inputs, buildpacks: [] }],
  ])('changes with %s', (_what, changed) => {
    expect(inputsDigest(changed)).not.toBe(inputsDigest(inputs));
  });

  it.each<[string, DigestedInputs]>([
    ['where a layer is copied from', withEntry({ storeImage: { image: 'mirror.example/a' } })],
    ['the package that a layer came in', withEntry({ buildpackage: {} })],
    ['the sequence of keys', reversed({ ...inputs, stack: reversed(inputs.stack) })],
    ['the repository of the build image', withStack({ buildImage: image('copy', 'build') })],
  ])('does not change with %s', (_what, changed) => {
    expect(inputsDigest(changed)).toBe(inputsDigest(inputs));
  });

  it('stays from release to release, as long as the layout version does', () => {
    expect(inputsDigest(inputs)).toMatchInlineSnapshot(
      `"sha256:02bce063ec6e030c46a0ce47b5b4733a26a5716d63934d94c4fedc99c7c34f65"`,
    );
  });
});
