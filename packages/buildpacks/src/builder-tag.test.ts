import { failureOf } from '@buildkeeper/retry-policy';
import { describe, expect, it } from 'vitest';
import { builderTag, tagReference, type BuilderName } from './builder-tag.ts';

const builder: BuilderName = { kind: 'Builder', namespace: 'team', name: 'java' };
const clusterBuilder: BuilderName = { kind: 'ClusterBuilder', name: 'java' };

describe('builderTag', () => {
  it.each([
    { name: builder, text: 'reg.example/team/b', gives: 'reg.example/team/b:builder-team-java' },
    { name: clusterBuilder, text: 'reg.example/team/b', gives: 'reg.example/team/b:clusterbuilder-java' },
    { name: builder, text: 'reg.example:5000/b', gives: 'reg.example:5000/b:builder-team-java' },
    { name: builder, text: 'reg.example/b:latest', gives: 'reg.example/b:latest' },
    { name: builder, text: 'reg.example/b:v1', gives: 'reg.example/b:v1' },
    { name: builder, text: 'team/b:v1', gives: 'index.docker.io/team/b:v1' },
  ])('writes $name.kind with $text to $gives', ({ name, text, gives }) => {
    const target = builderTag(name, text);
    expect(tagReference(target, target.tag)).toBe(gives);
    expect(target.runImageTag).toBe(`${target.tag}-run-image`);
  });

  it('names a digest behind the tag', () => {
    const target = builderTag(builder, 'reg.example/b:v1');
    expect(tagReference(target, target.tag, 'sha256:1')).toBe('reg.example/b:v1@sha256:1');
  });

  it.each([
    { text: `reg.example/b@sha256:${'0'.repeat(64)}`, says: 'it has a digest' },
    { text: `reg.example/b:${'t'.repeat(119)}`, says: 'longer than 128 characters' },
    { text: 'Not a reference', says: 'is no image reference' },
  ])('refuses $text', ({ text, says }) => {
    const error = thrownBy(() => builderTag(builder, text));
    expect(failureOf(error)).toMatchObject({ class: 'invalid', reason: 'SpecInvalid' });
    expect(failureOf(error)?.message).toContain(says);
  });
});

function thrownBy(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}
