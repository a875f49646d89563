import { anonymousKeychain } from '@buildkeeper/registry-client';
import { describe, expect, it } from 'vitest';
import { type BuilderLabelInput, builderLabels, labelWarnings } from './builder-labels.ts';
import { type Candidate } from './buildpack-source.ts';

const apis = {
  buildpack: { deprecated: null, supported: ['0.9', '0.10'] },
  platform: { deprecated: ['0.7'], supported: ['0.12'] },
};

function candidate(id: string, version: string, changes: Partial<Candidate['entry']> = {}): Candidate {
  const entry = { id, version, diffId: `sha256:${id}${version}`, api: '0.10', ...changes };
  return {
    id,
    version,
    entry,
    source: { kind: 'ClusterStore', name: 's', buildpacks: [], keychain: anonymousKeychain },
  };
}

function labelsWith(changes: Partial<BuilderLabelInput> = {}) {
  return builderLabels({
    baseLabels: {},
    stackId: 'stack',
    lifecycle: { version: '0.21.17', api: { buildpack: '0.7' }, apis },
    order: [
      {
        group: [
          { id: 'b', version: '2' },
          { id: 'a', version: '1', optional: true },
        ],
      },
    ],
    buildpacks: [candidate('b', '2'), candidate('a', '1', { homepage: 'https://a.example', name: 'A' })],
    runImage: { pinned: 'reg.example/run@sha256:1', floating: 'reg.example/run:tag' },
    additionalLabels: {},
    ...changes,
  });
}

const parsed = (text: string | undefined) => JSON.parse(text ?? '') as unknown;

describe('builderLabels', () => {
  it('describes the builder in the words of pack and kpack', () => {
    expect(parsed(labelsWith()['io.buildpacks.builder.metadata'])).toEqual({
      description: 'Builder kept up to date by buildkeeper',
      buildpacks: [
        { id: 'b', version: '2' },
        { id: 'a', version: '1', homepage: 'https://a.example', name: 'A' },
      ],
      stack: { runImage: { image: 'reg.example/run@sha256:1', mirrors: null } },
      images: [{ image: 'reg.example/run:tag', mirrors: null }],
      lifecycle: { version: '0.21.17', api: { buildpack: '0.7' }, apis },
      createdBy: { name: 'buildkeeper', version: '1' },
    });
  });

  it('lists order, layers and APIs', () => {
    const stacks = [{ id: '*' }];
    const targets = [{ os: 'linux' }];
    const order = [{ group: [{ id: 'b', version: '2' }] }];
    const labels = labelsWith({
      buildpacks: [
        candidate('b', '10', { stacks, targets }),
        candidate('b', '2'),
        candidate('a', '1', { order, name: 'A' }),
      ],
    });
    expect(labels['io.buildpacks.buildpack.order']).toBe(
      '[{"group":[{"id":"b","version":"2"},{"id":"a","version":"1","optional":true}]}]',
    );
    expect(labels['io.buildpacks.buildpack.layers']).toBe(
      JSON.stringify({
        a: { 1: { api: '0.10', order, layerDiffID: 'sha256:a1', name: 'A' } },
        b: {
          2: { api: '0.10', layerDiffID: 'sha256:b2' },
          10: { api: '0.10', stacks, targets, layerDiffID: 'sha256:b10' },
        },
      }),
    );
    expect(parsed(labels['io.buildpacks.lifecycle.apis'])).toEqual(apis);
    expect(labels['io.buildpacks.lifecycle.version']).toBe('0.21.17');
  });

  it('keeps ids that are names of JavaScript', () => {
    const labels = labelsWith({ buildpacks: [candidate('__proto__', '__proto__')] });
    expect(labels['io.buildpacks.buildpack.layers']).toContain('{"__proto__":{"__proto__":{');
  });

  it.each([
    { base: {}, user: {}, stackId: 'stack', because: 'the spec says it when nobody else does' },
    { base: { 'io.buildpacks.stack.id': 'base' }, user: {}, stackId: 'base', because: 'the base says it' },
    {
      base: { 'io.buildpacks.stack.id': 'base' },
      user: { 'io.buildpacks.stack.id': 'user' },
      stackId: 'user',
      because: 'the user wins',
    },
  ])('has stack id $stackId: $because', ({ base, user, stackId }) => {
    expect(labelsWith({ baseLabels: base, additionalLabels: user })['io.buildpacks.stack.id']).toBe(stackId);
  });

  it('lets the user override everything but what describes the content', () => {
    const own = [
      'io.buildpacks.lifecycle.apis',
      'io.buildpacks.buildpack.order',
      'io.buildpacks.buildpack.layers',
      'io.buildpacks.builder.metadata',
    ];
    const theirs = ['maintainer', 'io.buildpacks.lifecycle.version', 'io.buildpacks.stack.mixins'];
    const additionalLabels = Object.fromEntries([...own, ...theirs].map((name) => [name, 'mine']));
    const labels = labelsWith({ baseLabels: { maintainer: 'base', kept: 'yes' }, additionalLabels });
    expect(theirs.map((name) => labels[name])).toEqual(['mine', 'mine', 'mine']);
    expect(own.filter((name) => labels[name] === 'mine')).toEqual([]);
    expect(labels['kept']).toBe('yes');
  });

  it('warns of what tools read', () => {
    const labels = { team: 'a', 'io.buildpacks.stack.id': 'b', 'io.buildpacks.buildpack.order': 'c' };
    expect(labelWarnings(labels)).toEqual([
      'Additional label "io.buildpacks.stack.id" may mislead tools',
      'Additional label "io.buildpacks.buildpack.order" is ignored: it says what is in the image',
    ]);
  });

  it('sorts them', () => {
    const names = Object.keys(labelsWith({ baseLabels: { z: '1', a: '2' }, additionalLabels: { m: '3' } }));
    expect(names).toEqual([...names].sort());
  });
});
