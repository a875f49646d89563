import { describe, expect, it } from 'vitest';
import { type ApiObject } from './json-value.ts';
import { parseFieldSelector, parseLabelSelector } from './selectors.ts';

const object: ApiObject = {
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name: 'a', namespace: 'n', labels: { app: 'web', 'example.test/tier': 'back', empty: '' } },
  spec: { size: 3, on: true },
};

describe('parseLabelSelector', () => {
  it.each([
    ['', true],
    ['app=web', true],
    ['app==web', true],
    ['app = web', true],
    ['app=db', false],
    ['app!=db', true],
    ['other!=db', true],
    ['app!=web', false],
    ['app', true],
    ['other', false],
    ['!other', true],
    ['!app', false],
    ['empty=', true],
    ['app in (web, db)', true],
    ['app in (db)', false],
    ['other in (db)', false],
    ['app notin (db,x)', true],
    ['other notin (db)', true],
    ['app notin (web)', false],
    ['app in (web,db),example.test/tier=back', true],
    ['app=web,example.test/tier=front', false],
  ])('%j selects: %s', (text, isSelected) => {
    expect(parseLabelSelector(text)(object)).toBe(isSelected);
  });

  it.each(['app like web', 'app=a=b', '=web', 'app in web'])('refuses %j', (text) => {
    expect(() => parseLabelSelector(text)).toThrow(expect.objectContaining({ code: 400 }));
  });
});

describe('parseFieldSelector', () => {
  const resource = {
    selectableFields: { 'spec.size': ['spec', 'size'], 'spec.on': ['spec', 'on'], 'spec.none': ['spec', 'none'] },
  };

  it.each([
    ['', true],
    ['metadata.name=a', true],
    ['metadata.name==a,metadata.namespace=n', true],
    ['metadata.name!=a', false],
    ['spec.size=3', true],
    ['spec.on=true', true],
    ['spec.none=', true],
    ['spec.none=x', false],
  ])('%j selects: %s', (text, isSelected) => {
    expect(parseFieldSelector(text, resource)(object)).toBe(isSelected);
  });

  it.each(['spec.other=1', 'metadata.name', 'metadata.labels=a'])('refuses %j', (text) => {
    expect(() => parseFieldSelector(text, resource)).toThrow(expect.objectContaining({ code: 400 }));
  });
});
