import { describe, expect, it } from 'vitest';
import { type FaultAction, type FaultRule, FaultRules } from './fault-rules.ts';

const reset: FaultAction = { kind: 'reset' };
const hang: FaultAction = { kind: 'hang' };
const url = '/v2/a/blobs/uploads/?mount=x';

describe('FaultRules', () => {
  it.each<[string, Partial<FaultRule>, boolean]>([
    ['anything', {}, true],
    ['its method', { method: 'POST' }, true],
    ['its method in small letters', { method: 'post' }, true],
    ['another method', { method: 'GET' }, false],
    ['a part of its method', { method: 'POS' }, false],
    ['a pattern of its method', { method: /^(POST|PUT)$/ }, true],
    ['its path', { path: '/v2/a/blobs/uploads/' }, true],
    ['its path and query', { path: url }, true],
    ['a part of its path', { path: '/v2/a' }, false],
    ['a pattern that ends with the path', { path: /\/uploads\/$/ }, true],
    ['a pattern of the query', { path: /\?mount=/ }, true],
    ['a pattern that remembers where it was', { path: /uploads/g }, true],
    ['another path', { path: /manifests/ }, false],
    ['its path and another method', { path: /uploads/, method: 'PUT' }, false],
  ])('match %s', (_name, rule, isMatch) => {
    const rules = new FaultRules();
    const handle = rules.add({ ...rule, action: reset });
    for (let round = 0; round < 2; round += 1) {
      expect(rules.take({ method: 'POST', url })).toBe(isMatch ? reset : undefined);
    }
    expect(handle.hits).toBe(isMatch ? 2 : 0);
  });

  const taken = (rules: FaultRules, count: number) =>
    Array.from({ length: count }, () => rules.take({ method: 'GET', url: '/' })?.kind ?? '-').join(' ');

  it.each<[string, FaultRule[], string]>([
    ['skip the first', [{ skip: 2, action: reset }], '- - reset reset'],
    ['stop after some', [{ times: 2, action: reset }], 'reset reset - -'],
    ['do both', [{ skip: 1, times: 1, action: reset }], '- reset - -'],
    [
      'give way to a younger rule when used up',
      [{ times: 1, action: reset }, { action: hang }],
      'reset hang hang hang',
    ],
    [
      'let a younger rule act while they skip',
      [
        { skip: 1, action: reset },
        { times: 1, action: hang },
      ],
      'hang reset reset reset',
    ],
    ['go first when older', [{ action: reset }, { action: hang }], 'reset reset reset reset'],
  ])('%s', (_name, list, expected) => {
    const rules = new FaultRules();
    for (const rule of list) rules.add(rule);
    expect(taken(rules, 4)).toBe(expected);
  });

  it('can be taken out, one or all', () => {
    const rules = new FaultRules();
    const first = rules.add({ action: reset });
    rules.add({ action: hang });
    first.remove();
    expect(taken(rules, 1)).toBe('hang');
    rules.clear();
    expect(taken(rules, 1)).toBe('-');
  });
});
