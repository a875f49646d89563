import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BuildpackError } from './errors.ts';
import { type LabelledImage } from './labelled-image.ts';
import { labelNames, lifecycleApisOf, lifecycleOf, mixinsOf, packageOf } from './labels.ts';
import { buildpacksOf } from './layers-label.ts';

const diffId = `sha256:${'a'.repeat(64)}`;

function imageWith(labels: Readonly<Record<string, string>>): LabelledImage {
  const platform = { os: 'linux', arch: 'amd64', variant: '' };
  return { text: 'reg.example/image', labels: new Map(Object.entries(labels)), env: new Map(), platform };
}

function layersOf(text: string) {
  return buildpacksOf(imageWith({ [labelNames.buildpackLayers]: text }));
}

function layersOfJson(layers: unknown) {
  return layersOf(JSON.stringify(layers));
}

describe('buildpacksOf', () => {
  it('reads everything that a builder passes on, and nothing else', () => {
    const layer = {
      api: '0.10',
      layerDiffID: diffId,
      name: 'Java',
      homepage: 'https://example.org',
      unknown: { anything: [1] },
      order: [
        {
          group: [
            { id: 'b', version: '1', optional: true },
            { id: 'c', version: '2', optional: false },
          ],
        },
      ],
      stacks: [
        { id: '*', mixins: ['build:git'] },
        { id: 'io.stack', mixins: null },
      ],
      targets: [{ os: 'linux', arch: 'arm64', variant: 'v8', distros: [{ name: 'debian', version: '12' }] }],
    };
    const [buildpack] = layersOfJson({ 'samples/java': { '1.0.0': layer } });
    expect(buildpack).toEqual({
      id: 'samples/java',
      version: '1.0.0',
      layerDiffId: diffId,
      api: '0.10',
      name: 'Java',
      homepage: 'https://example.org',
      order: [
        {
          group: [
            { id: 'b', version: '1', optional: true },
            { id: 'c', version: '2' },
          ],
        },
      ],
      stacks: [{ id: '*', mixins: ['build:git'] }, { id: 'io.stack' }],
      targets: [{ os: 'linux', arch: 'arm64', variant: 'v8', distros: [{ name: 'debian', version: '12' }] }],
    });
  });

  it.each([
    { what: 'null', layers: null },
    { what: 'no ids', layers: {} },
    { what: 'an id of null', layers: { a: null } },
    { what: 'an id without versions', layers: { a: {} } },
  ])('finds nothing in $what', ({ layers }) => {
    expect(layersOfJson(layers)).toEqual([]);
  });

  it('takes null, empty and absent lists and texts for the same', () => {
    const layer = { layerDiffID: diffId, order: null, stacks: [], targets: null, homepage: '', api: null };
    expect(layersOfJson({ a: { '1': layer } })).toEqual([{ id: 'a', version: '1', layerDiffId: diffId }]);
  });

  it('reads ids that are names of JavaScript', () => {
    const text = `{"__proto__":{"constructor":{"layerDiffID":"${diffId}"}}}`;
    expect(layersOf(text)).toEqual([{ id: '__proto__', version: 'constructor', layerDiffId: diffId }]);
  });

  it.each([
    { text: '{', says: 'is not JSON' },
    { text: '', says: 'is not JSON' },
    { text: '[]', says: 'is not an object' },
    { text: '"x"', says: 'is not an object' },
    { text: '{"a/b": 1}', says: 'at "/a~1b" is not an object' },
    { text: '{"a":{"1":[]}}', says: 'at "/a/1" is not an object' },
    { text: '{"a":{"1":{}}}', says: 'at "/a/1/layerDiffID" is missing or empty' },
    { text: '{"a":{"1":{"layerDiffID":7}}}', says: 'at "/a/1/layerDiffID" is not a string' },
    { text: '{"a":{"1":{"layerDiffID":"sha256:abc"}}}', says: 'at "/a/1/layerDiffID" is not a sha256 digest' },
    { text: `{"":{"1":{"layerDiffID":"${diffId}"}}}`, says: 'at "//1" has no buildpack id' },
    { text: `{"a":{"1":{"layerDiffID":"${diffId}","api":0.5}}}`, says: 'at "/a/1/api" is not a string' },
    { text: `{"a":{"1":{"layerDiffID":"${diffId}","order":{}}}}`, says: 'at "/a/1/order" is not an array' },
    {
      text: `{"a":{"1":{"layerDiffID":"${diffId}","order":[{"group":[{"version":"1"}]}]}}}`,
      says: 'at "/a/1/order/0/group/0/id" is missing or empty',
    },
    {
      text: `{"a":{"1":{"layerDiffID":"${diffId}","order":[{"group":[{"id":"b","optional":"yes"}]}]}}}`,
      says: 'at "/a/1/order/0/group/0/optional" is not true or false',
    },
    { text: '['.repeat(33) + ']'.repeat(33), says: 'is nested deeper than 32 levels' },
    { text: '['.repeat(500_000), says: 'is nested deeper than 32 levels' },
    { text: JSON.stringify({ a: 'x'.repeat(1024 * 1024) }), says: 'is larger than 1048576 bytes' },
  ])('refuses what $says', ({ text, says }) => {
    expect(() => layersOf(text)).toThrow(
      `Cannot use image reg.example/image: label io.buildpacks.buildpack.layers ${says}`,
    );
  });

  it('does not take brackets in a text for nesting', () => {
    const homepage = `${'['.repeat(100)}\\"${'{'.repeat(100)}`;
    expect(layersOfJson({ a: { '1': { layerDiffID: diffId, homepage } } })[0]?.homepage).toBe(homepage);
  });

  it('says which label is missing', () => {
    expect(() => buildpacksOf(imageWith({}))).toThrow(
      'Cannot use image reg.example/image: it has no label io.buildpacks.buildpack.layers',
    );
  });

  it('keeps messages short and on one line, whatever stands in the label', () => {
    const id = `\u0000\n${'x'.repeat(10_000)}`;
    const error = thrownBy(() => layersOfJson({ [id]: 1 }));
    expect(error?.message).toMatch(/^[^\n\0]{1,300}$/);
  });
});

describe('the other labels', () => {
  it('reads the package', () => {
    const text = '{"id":"a","version":"1","homepage":"https://a.example","stacks":[],"licenses":[{"Type":"MIT"}]}';
    const image = imageWith({ [labelNames.buildpackageMetadata]: text });
    expect(packageOf(image)).toEqual({ id: 'a', version: '1', homepage: 'https://a.example' });
  });

  it('has no package where there is no label', () => {
    expect(packageOf(imageWith({}))).toBeUndefined();
  });

  it.each([
    { text: undefined, mixins: [] },
    { text: 'null', mixins: [] },
    { text: '["a","build:b"]', mixins: ['a', 'build:b'] },
  ])('reads mixins of $text', ({ text, mixins }) => {
    expect(mixinsOf(imageWith(text === undefined ? {} : { [labelNames.stackMixins]: text }))).toEqual(mixins);
  });

  it('reads the lifecycle', () => {
    const image = imageWith({
      [labelNames.builderMetadata]: '{"lifecycle":{"version":"0.21.17"},"api":{"buildpack":"0.7","platform":"0.7"}}',
      [labelNames.lifecycleApis]:
        '{"buildpack":{"deprecated":[],"supported":["0.9","0.10"]},"platform":{"supported":null}}',
    });
    expect(lifecycleOf(image)).toEqual({ version: '0.21.17', api: { buildpack: '0.7', platform: '0.7' } });
    expect(lifecycleApisOf(image)).toEqual({
      buildpack: { deprecated: [], supported: ['0.9', '0.10'] },
      platform: { deprecated: [], supported: [] },
    });
  });

  it('wants the version of a lifecycle', () => {
    const image = imageWith({ [labelNames.builderMetadata]: '{"lifecycle":{}}' });
    expect(() => lifecycleOf(image)).toThrow('at "/lifecycle/version" is missing or empty');
  });
});

describe('every decoder', () => {
  const decoders = [buildpacksOf, packageOf, mixinsOf, lifecycleOf, lifecycleApisOf];
  const names = Object.values(labelNames);
  const layer = fc.record(
    {
      layerDiffID: fc.constantFrom(diffId, 'x', 7),
      order: fc.jsonValue(),
      stacks: fc.jsonValue(),
      targets: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );
  const texts = fc.oneof(
    fc.string(),
    fc.json(),
    fc.dictionary(fc.string(), fc.dictionary(fc.string(), layer)).map((layers) => JSON.stringify(layers)),
    fc.tuple(fc.json(), fc.nat(), fc.string()).map(([text, at, piece]) => text.slice(0, at) + piece + text.slice(at)),
  );

  it('gives a result or an error that says ImageInvalid, for any text', () => {
    fc.assert(
      fc.property(texts, fc.constantFrom(...decoders), (text, decode) => {
        const image = imageWith(Object.fromEntries(names.map((name) => [name, text])));
        const error = thrownBy(() => decode(image));
        if (error === undefined) return;
        if (!(error instanceof BuildpackError)) throw error;
        expect(error.failure).toMatchObject({ class: 'invalid', reason: 'ImageInvalid' });
      }),
      { numRuns: 400 },
    );
  });
});

function thrownBy(work: () => unknown): Error | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return error as Error;
  }
}
