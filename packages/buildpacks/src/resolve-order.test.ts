import { anonymousKeychain } from '@buildkeeper/registry-client';
import { type BuildpackEntry, type BuilderOrderRef } from '@buildkeeper/kpack-api';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BuildpackSource } from './buildpack-source.ts';
import { BuildpackError } from './errors.ts';
import { resolveOrder } from './resolve-order.ts';

/** `id@version`, or `id@version: member@version member@version?` for a composite; `?` makes a member optional. */
function entryOf(text: string, image: string): BuildpackEntry {
  const [name = '', members] = text.split(': ');
  const [id = '', version = ''] = name.split('@');
  const group = members?.split(' ').map(memberOf);
  const storeImage = { image };
  return { id, version, storeImage, diffId: `${image} ${name}`, ...(group !== undefined && { order: [{ group }] }) };
}

function memberOf(text: string) {
  const [id = '', version] = text.replace(/\?$/, '').split('@');
  return { id, ...(version !== undefined && { version }), ...(text.endsWith('?') && { optional: true }) };
}

function source(kind: BuildpackSource['kind'], name: string, ...buildpacks: string[]): BuildpackSource {
  const entries = buildpacks.map((text) => entryOf(text, `reg.example/${name}`));
  return { kind, name, buildpacks: entries, keychain: anonymousKeychain };
}

const store = (...buildpacks: string[]) => source('ClusterStore', 'store', ...buildpacks);

function resolve(references: BuilderOrderRef[], ...sources: BuildpackSource[]) {
  return resolveOrder([{ group: references }], sources);
}

/** `id@version of reg.example/source`, in the order of the result. */
function found(references: BuilderOrderRef[], ...sources: BuildpackSource[]) {
  return resolve(references, ...sources).buildpacks.map(
    ({ id, version, entry }) => `${id}@${version} of ${entry.storeImage?.image?.replace('reg.example/', '') ?? ''}`,
  );
}

function errorOf(references: BuilderOrderRef[], ...sources: BuildpackSource[]): BuildpackError {
  try {
    resolve(references, ...sources);
  } catch (error) {
    if (error instanceof BuildpackError) return error;
    throw error;
  }
  throw new Error('resolved');
}

describe('one reference', () => {
  const bp = source('Buildpack', 'bp', 'a@1.0.0', 'b@1.0.0');
  const cluster = source('ClusterBuildpack', 'cluster', 'a@1.0.0', 'a@2.0.0');
  const shop = store('a@1.0.0', 'a@2.0.0', 'a@3.0.0-rc.1', 'c@x');

  it.each<{ ref: BuilderOrderRef; gives: string; because: string }>([
    { ref: { id: 'a', version: '1.0.0' }, gives: 'a@1.0.0 of bp', because: 'a Buildpack wins among equals' },
    { ref: { id: 'a', version: '2.0.0' }, gives: 'a@2.0.0 of cluster', because: 'then a ClusterBuildpack' },
    { ref: { id: 'a' }, gives: 'a@3.0.0-rc.1 of store', because: 'the highest of all sources' },
    { ref: { id: 'a', version: '' }, gives: 'a@3.0.0-rc.1 of store', because: 'an empty version is none' },
    { ref: { id: 'c' }, gives: 'c@x of store', because: 'a lonely odd version is the highest' },
    {
      ref: { id: 'a', kind: 'ClusterBuildpack', name: 'cluster' },
      gives: 'a@2.0.0 of cluster',
      because: 'inside one object',
    },
    {
      ref: { id: 'a', version: '1.0.0', kind: 'ClusterBuildpack', name: 'cluster' },
      gives: 'a@1.0.0 of cluster',
      because: 'both',
    },
    { ref: { kind: 'ClusterBuildpack', name: 'cluster' }, gives: 'a@2.0.0 of cluster', because: 'the only root' },
  ])('$ref gives $gives: $because', ({ ref, gives }) => {
    expect(found([ref], shop, cluster, bp)).toEqual([gives]);
  });

  it.each<{ ref: BuilderOrderRef; reason: string; missing: boolean; says: string }>([
    { ref: { id: 'x' }, reason: 'BuildpackNotFound', missing: true, says: 'Buildpack "x" is offered by no source' },
    {
      ref: { id: 'a', version: '9' },
      reason: 'BuildpackNotFound',
      missing: true,
      says: 'Buildpack "a" with version "9" is offered by no source; there is "1.0.0", "2.0.0", "3.0.0-rc.1"',
    },
    {
      ref: { kind: 'Buildpack', name: 'x' },
      reason: 'BuildpackNotFound',
      missing: true,
      says: 'Buildpack "x" is not there',
    },
    {
      ref: { kind: 'Buildpack', name: 'bp', id: 'c' },
      reason: 'BuildpackNotFound',
      missing: true,
      says: 'Buildpack "c" is not offered by Buildpack "bp"',
    },
    {
      ref: { kind: 'Buildpack', name: 'bp' },
      reason: 'ImageInvalid',
      missing: false,
      says: 'has 2 buildpacks that no other',
    },
    { ref: {}, reason: 'SpecInvalid', missing: false, says: 'neither an id nor the kind' },
    { ref: { kind: 'Buildpack' }, reason: 'SpecInvalid', missing: false, says: 'needs kind and name together' },
    { ref: { name: 'bp' }, reason: 'SpecInvalid', missing: false, says: 'needs kind and name together' },
    { ref: { id: 'a', image: 'reg.example/x' }, reason: 'SpecInvalid', missing: false, says: 'list the image' },
  ])('$ref fails with $reason', ({ ref, reason, missing, says }) => {
    const error = errorOf([ref], shop, cluster, bp);
    expect({ reason: error.failure.reason, missing: error.missing }).toEqual({ reason, missing });
    expect(error.failure.class).toBe('invalid');
    expect(error.message).toContain(says);
  });

  it('waits for an object that offers nothing yet', () => {
    expect(errorOf([{ kind: 'Buildpack', name: 'new' }], source('Buildpack', 'new')).missing).toBe(true);
  });

  it('takes the one that contains the others for the root, also when it names itself', () => {
    const nested = source('Buildpack', 'bp', 'a@1', 'top@1: a@1', 'b@1', 'top@2: b@1 a@1');
    expect(found([{ kind: 'Buildpack', name: 'bp' }], nested)).toEqual(['b@1 of bp', 'a@1 of bp', 'top@2 of bp']);
  });
});

describe('versions', () => {
  it.each([
    { offered: ['a@9', 'a@10'], highest: 'a@10', because: 'they are numbers' },
    { offered: ['a@1.2.3', 'a@latest', 'a@zzz'], highest: 'a@1.2.3', because: 'an odd one loses and breaks nothing' },
    { offered: ['a@latest', 'a@edge'], highest: 'a@latest', because: 'odd ones go by their text' },
    {
      offered: ['a@2.0.0-rc.1', 'a@1.9.9'],
      highest: 'a@2.0.0-rc.1',
      because: 'a prerelease comes before its release only',
    },
    { offered: ['a@2.0.0-rc.1', 'a@2.0.0'], highest: 'a@2.0.0', because: 'a release is above its prereleases' },
    { offered: ['a@v1.2', 'a@1.1.9'], highest: 'a@v1.2', because: 'short forms count' },
    {
      offered: ['a@1.0.0+b', 'a@1.0.0+a'],
      highest: 'a@1.0.0+a',
      because: 'equal ones go by their text, whatever the sequence',
    },
  ])('of $offered gives $highest: $because', ({ offered, highest }) => {
    expect(found([{ id: 'a' }], store(...offered))).toEqual([`${highest} of store`]);
    expect(found([{ id: 'a' }], store(...[...offered].reverse()))).toEqual([`${highest} of store`]);
  });

  it('prefers the Buildpack among highest versions that mean the same', () => {
    const result = found([{ id: 'a' }], store('a@1.0.0'), source('Buildpack', 'bp', 'a@1'));
    expect(result).toEqual(['a@1 of bp']);
  });

  it('goes by the names of objects of one kind', () => {
    const result = found([{ id: 'a' }], source('Buildpack', 'y', 'a@1'), source('Buildpack', 'x', 'a@1'));
    expect(result).toEqual(['a@1 of x']);
  });
});

describe('buildpacks inside of buildpacks', () => {
  it('brings members, of any source, before what contains them', () => {
    const sources = [store('top@1: mid@1 b@1'), source('ClusterBuildpack', 'c', 'mid@1: a@1', 'b@1'), store('a@1')];
    expect(found([{ id: 'top' }], ...sources)).toEqual(['a@1 of store', 'mid@1 of c', 'b@1 of c', 'top@1 of store']);
  });

  it('brings each once', () => {
    const sources = [store('x@1: a@1 b@1', 'y@1: b@1 a@1', 'a@1', 'b@1')];
    expect(found([{ id: 'x' }, { id: 'y' }, { id: 'a' }], ...sources)).toEqual([
      'a@1 of store',
      'b@1 of store',
      'x@1 of store',
      'y@1 of store',
    ]);
  });

  it('takes the highest of a member without a version', () => {
    expect(found([{ id: 'x' }], store('x@1: a', 'a@1', 'a@2'))).toEqual(['a@2 of store', 'x@1 of store']);
  });

  it('says who needs a member that is not offered', () => {
    const error = errorOf([{ id: 'x' }], store('x@1: a@2', 'a@1'));
    expect(error.missing).toBe(true);
    expect(error.message).toBe(
      'Buildpack "a" with version "2" is needed by "x@1" and offered by no source; there is "1"',
    );
  });

  it.each([
    { buildpacks: ['x@1: x@1'], circle: '"x@1" → "x@1"' },
    { buildpacks: ['x@1: y@1', 'y@1: z@1', 'z@1: y@1'], circle: '"y@1" → "z@1" → "y@1"' },
    { buildpacks: ['x@1: y', 'y@1: x?'], circle: '"x@1" → "y@1" → "x@1"' },
  ])('refuses $buildpacks, which contain each other', ({ buildpacks, circle }) => {
    const error = errorOf([{ id: 'x' }], store(...buildpacks));
    expect(error.failure.reason).toBe('ImageInvalid');
    expect(error.message).toContain(`contain each other: ${circle}`);
  });

  it('goes as deep as anybody does, and no deeper', () => {
    const chain = (length: number) => Array.from({ length }, (_, index) => `a${index}@1: a${index + 1}@1`);
    expect(found([{ id: 'a0' }], store(...chain(31), 'a31@1'))).toHaveLength(32);
    expect(errorOf([{ id: 'a0' }], store(...chain(40), 'a40@1')).message).toContain('deeper than 32');
  });

  it('takes no time for what would be huge if it were written out', () => {
    const layers = Array.from({ length: 30 }, (_, i) => [
      `l${i}@1: l${i + 1}@1 r${i + 1}@1`,
      `r${i}@1: l${i + 1}@1 r${i + 1}@1`,
    ]);
    expect(found([{ id: 'l0' }], store(...layers.flat(), 'l30@1', 'r30@1'))).toHaveLength(61);
  });

  it('takes a named object for every mention of the buildpack in it', () => {
    const sources = [store('top@1: a@1'), source('Buildpack', 'mine', 'a@1'), source('Buildpack', 'first', 'a@1')];
    const result = found([{ id: 'top' }, { kind: 'Buildpack', name: 'mine', id: 'a' }], ...sources);
    expect(result).toEqual(['a@1 of mine', 'top@1 of store']);
  });

  it('knows which can be done without', () => {
    const sources = [store('x@1: a@1 b@1?', 'y@1: b@1 c@1', 'a@1', 'b@1', 'c@1: d@1', 'd@1')];
    const optional = (references: BuilderOrderRef[]) =>
      resolve(references, ...sources)
        .buildpacks.filter((one) => one.isOptional)
        .map((one) => one.id);
    expect(optional([{ id: 'x' }, { id: 'y', optional: true }])).toEqual(['b', 'd', 'c', 'y']);
    expect(optional([{ id: 'y', optional: true }, { id: 'y' }])).toEqual([]);
  });
});

describe('the order', () => {
  it('has the versions that were found, and says what is optional', () => {
    const { order } = resolveOrder(
      [{ group: [{ id: 'a' }, { id: 'b', optional: true }] }, { group: [{ id: 'b', version: '1', optional: false }] }],
      [store('a@1', 'b@1', 'b@2')],
    );
    expect(order).toEqual([
      {
        group: [
          { id: 'a', version: '1' },
          { id: 'b', version: '2', optional: true },
        ],
      },
      { group: [{ id: 'b', version: '1' }] },
    ]);
  });

  it.each([{ order: [] }, { order: [{}] }, { order: [{ group: [] }] }])('may not be empty: $order', ({ order }) => {
    expect(() => resolveOrder(order, [store('a@1')])).toThrow(BuildpackError);
  });

  it('warns of one buildpack with two contents, naming both images', () => {
    const { warnings } = resolve([{ id: 'a' }], store('a@1'), source('Buildpack', 'bp', 'a@1'));
    expect(warnings).toEqual([
      'Buildpack "a@1" has different contents in reg.example/bp and reg.example/store; the first is used',
    ]);
  });

  it('warns of the same buildpack twice in a group', () => {
    expect(resolve([{ id: 'a' }, { id: 'a', version: '1' }], store('a@1')).warnings).toEqual([
      'Buildpack "a" stands twice in one group; lifecycles skip the second',
    ]);
  });

  it('warns of nothing else', () => {
    expect(resolve([{ id: 'x' }], store('x@1: a@1', 'a@1', 'a@2')).warnings).toEqual([]);
  });

  it('does not depend on the sequence of sources and entries', () => {
    const names = ['a@1', 'a@1.0', 'a@2', 'b@1: a', 'b@0.9', 'c@x: b@1 a@2'];
    const sources = [store(...names), source('Buildpack', 'p', ...names), source('ClusterBuildpack', 'q', ...names)];
    const shuffled = fc
      .tuple(...sources.map((one) => fc.shuffledSubarray([...one.buildpacks], { minLength: names.length })))
      .chain((entries) => {
        const changed = sources.map((one, index) => ({ ...one, buildpacks: entries[index] ?? [] }));
        return fc.shuffledSubarray(changed, { minLength: sources.length });
      });
    const expected = found([{ id: 'c' }, { id: 'a' }], ...sources);
    fc.assert(
      fc.property(shuffled, (changed) => {
        expect(found([{ id: 'c' }, { id: 'a' }], ...changed)).toEqual(expected);
      }),
    );
  });
});
