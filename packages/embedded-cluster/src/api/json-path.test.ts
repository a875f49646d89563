import { describe, expect, it } from 'vitest';
import { findJsonPath, parseJsonPath } from './json-path.ts';

const object = {
  metadata: { annotations: { 'example.test/a.b': 'x' } },
  status: {
    conditions: [
      { type: 'Ready', status: 'True', n: 1 },
      { type: 'UpToDate', status: 'False', n: 2 },
    ],
    list: ['a', 'b', 'c'],
    zero: 0,
  },
};

describe('a JSONPath', () => {
  it.each<[string, unknown[]]>([
    ['.status.zero', [0]],
    ['$.status.zero', [0]],
    ['.status.conditions[?(@.type=="Ready")].status', ['True']],
    [".status.conditions[?(@.type=='UpToDate')].status", ['False']],
    ['.status.conditions[?( @.type != "Ready" )].type', ['UpToDate']],
    ['.status.conditions[?(@.n==2)].type', ['UpToDate']],
    ['.status.conditions[?(@.missing=="x")].type', []],
    ['.status.conditions[*].type', ['Ready', 'UpToDate']],
    ['.status.conditions[0].type', ['Ready']],
    ['.status.list[-1]', ['c']],
    ['.status.list[9]', []],
    ['.metadata.annotations.example\\.test/a\\.b', ['x']],
    ["['metadata']['annotations']['example.test/a.b']", ['x']],
    ['.status.none.deeper', []],
    ['.status.zero.deeper', []],
    ['.metadata.constructor', []],
  ])('%s finds %j', (path, expected) => {
    expect(findJsonPath(object, parseJsonPath(path))).toEqual(expected);
  });

  it.each(['status', '.a[', '.a[?(x)]', '.a..b'])('%s can not be read', (path) => {
    expect(() => parseJsonPath(path)).toThrow(`Cannot read the JSONPath ${path}`);
  });
});
