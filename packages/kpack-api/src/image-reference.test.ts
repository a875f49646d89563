import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkImage, checkTag, referenceFault } from './image-reference.ts';
import { imageField, tagField } from './images.ts';

const digest = `sha256:${'0a'.repeat(32)}`;

/** The regular expression of the last CEL rule of a field, as the API server runs it. */
const celPattern = (field: object): RegExp => {
  const rules = (field as { 'x-kubernetes-validations': { rule: string }[] })['x-kubernetes-validations'];
  return new RegExp(/matches\(r'(.*)'\)$/.exec(rules.at(-1)?.rule ?? '')?.[1] ?? '^no pattern$');
};
const celImage = celPattern(imageField(''));
const celTag = celPattern(tagField(''));

const accepted = [
  'ubuntu',
  'library/ubuntu:24.04',
  'localhost/team/image',
  'localhost:5000/team/image:tag',
  'registry.example/team/image',
  'registry.example./team/image',
  'Registry.Example/team/image',
  'registry.example:5000/team/sub/image:Tag_1.0-x',
  `registry.example/image@${digest}`,
  `registry.example/image:tag@${digest}`,
  '[::1]:5000/team/image',
  '127.0.0.1:5000/team/image:base',
  `registry.example/${'a'.repeat(255)}:${'t'.repeat(128)}`,
];

const refused = [
  ['', 'missing'],
  ['a', '2 to 255'],
  ['registry.example/a', '2 to 255'],
  [`registry.example/${'a'.repeat(256)}`, '2 to 255'],
  ['team/Image', 'small letters'],
  ['Team/image', 'small letters'],
  ['registry.example/team/image with space', 'small letters'],
  ['https://registry.example/team/image', 'not a registry host'],
  ['registry.example:port/team/image', 'not a registry host'],
  ['registry.example/team/image:', 'the tag ""'],
  [`registry.example/team/image:${'t'.repeat(129)}`, 'the tag'],
  ['registry.example/team/image:tag/', 'small letters'],
  ['registry.example/team/image@sha256:12', 'the digest'],
  [`registry.example/team/image@${digest.toUpperCase()}`, 'the digest'],
  [`registry.example/team/image@${digest}@${digest}`, 'the digest'],
  ['registry.example/team/image@', 'the digest'],
] as const;

/** Refused here but not by kpack, and so not by the API server. */
const refusedBeyond = [
  ['registry.example//team/image', 'empty part'],
  ['registry.example/team/image/', 'empty part'],
  ['/team/image', 'empty part'],
  ['registry.example:99999/team/image', 'port above'],
] as const;

describe('referenceFault', () => {
  it.each(accepted)('accepts %s, as the API server does', (text) => {
    expect(referenceFault(text)).toBeUndefined();
    expect(text).toMatch(celImage);
  });

  it.each(refused)('refuses "%s": %s, as the API server does', (text, clause) => {
    expect(checkImage('spec.image', text)).toEqual([
      { field: 'spec.image', message: expect.stringContaining(clause) as string },
    ]);
    expect(text).not.toMatch(celImage);
  });

  it.each(refusedBeyond)('refuses %s: %s, which the API server accepts', (text, clause) => {
    expect(referenceFault(text)).toContain(clause);
    expect(text).toMatch(celImage);
  });

  it('accepts nothing that the API server refuses', () => {
    const piece = fc.constantFrom('a', 'bc', 'Z', '.', '-', '_', '/', ':', '@', '[', ']', '5', digest, 'sha256:', ' ');
    const reference = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(reference, (text) => referenceFault(text) !== undefined || celImage.test(text)),
      { numRuns: 3000, seed: 7 },
    );
  });
});

describe('checkTag', () => {
  it.each(accepted.filter((text) => !text.includes('@')))('accepts %s', (text) => {
    expect(checkTag('spec.tag', text)).toEqual([]);
    expect(text).toMatch(celTag);
  });

  it.each([`registry.example/image@${digest}`, `registry.example/image:tag@${digest}`])('refuses %s', (text) => {
    expect(checkTag('spec.tag', text)[0]?.message).toContain('leave the digest out');
  });

  it.each(['', undefined])('refuses nothing at all (%j) and says what to write', (text) => {
    expect(checkTag('spec.tag', text)[0]?.message).toContain('name the repository');
  });

  it('refuses what is no reference', () => {
    expect(checkTag('spec.tag', 'team/Image')[0]?.message).toContain('small letters');
  });
});
