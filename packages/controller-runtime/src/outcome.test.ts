import { describe, expect, it } from 'vitest';
import { failed, specInvalid, waitingOn } from './outcome.ts';
import { failure } from './testing/widget.ts';

describe('specInvalid', () => {
  it('tells all problems of a spec in one stable line', () => {
    const problems = [
      { field: 'spec.tag', message: 'is no image reference' },
      { field: 'spec.order', message: 'is empty' },
    ];
    expect(specInvalid(problems)).toMatchObject({
      kind: 'failed',
      failure: {
        class: 'invalid',
        reason: 'SpecInvalid',
        message: 'spec.tag: is no image reference; spec.order: is empty',
      },
    });
  });
});

describe('failed', () => {
  it('carries what is published all the same', () => {
    const refused = failure();
    expect(failed(refused, { status: { buildpacks: [] }, isUsable: true })).toEqual({
      kind: 'failed',
      failure: refused,
      status: { buildpacks: [] },
      isUsable: true,
    });
  });
});

describe('waitingOn', () => {
  it('looks again at the pace of a dependency unless told otherwise', () => {
    expect(waitingOn('x')).toEqual({ kind: 'waiting', message: 'x' });
    expect(waitingOn('x', { pace: 'auth' })).toEqual({ kind: 'waiting', message: 'x', pace: 'auth' });
  });
});
