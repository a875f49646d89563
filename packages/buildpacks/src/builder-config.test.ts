import { describe, expect, it } from 'vitest';
import { builderConfig } from './builder-config.ts';

const created = '1980-01-01T00:00:01Z';
const rootfs = { type: 'layers', diff_ids: ['sha256:a', 'sha256:b'] };
const added = [{ diffId: 'sha256:c', what: 'order.toml' }];

describe('builderConfig', () => {
  it('keeps what it does not know, and the rest of what the base says', () => {
    const base = {
      architecture: 'arm64',
      variant: 'v8',
      os: 'linux',
      author: 'somebody',
      created: '2026-01-01T00:00:00Z',
      'os.version': '1',
      config: {
        User: '1:1',
        Env: ['A=b'],
        Entrypoint: ['/x'],
        WorkingDir: '/old',
        Labels: { old: '1' },
        Healthcheck: {},
      },
      rootfs,
    };
    const config = builderConfig(base, { new: '2' }, added);
    expect(config).toMatchObject({
      architecture: 'arm64',
      variant: 'v8',
      os: 'linux',
      author: 'somebody',
      'os.version': '1',
      created,
    });
    expect(config.config).toEqual({
      User: '1:1',
      Env: ['A=b'],
      Entrypoint: ['/x'],
      WorkingDir: '/layers',
      Labels: { new: '2' },
      Healthcheck: {},
    });
    expect(config.rootfs.diff_ids).toEqual(['sha256:a', 'sha256:b', 'sha256:c']);
  });

  it('makes do with a base that has no config of a container', () => {
    expect(builderConfig({ rootfs }, {}, added).config).toEqual({ WorkingDir: '/layers', Labels: {} });
  });

  const [a, b, empty] = [
    { created_by: 'a', created: 'now' },
    { created_by: 'b' },
    { created_by: 'env', empty_layer: true },
  ];
  it.each([
    { what: 'fits', history: [a, empty, b], kept: ['a', 'env', 'b'] },
    { what: 'is missing', history: undefined, kept: ['base image', 'base image'] },
    { what: 'is too short', history: [a], kept: ['base image', 'base image'] },
    { what: 'is too long', history: [a, b, a], kept: ['base image', 'base image'] },
  ])("gives each layer one entry of history when the base's $what", ({ history, kept }) => {
    const base = { rootfs, ...(history !== undefined && { history }) };
    const result = builderConfig(base, {}, added).history ?? [];
    expect(result.map((entry) => entry['created_by'])).toEqual([...kept, 'buildkeeper: order.toml']);
    expect(new Set(result.map((entry) => entry['created']))).toEqual(new Set([created]));
  });
});
