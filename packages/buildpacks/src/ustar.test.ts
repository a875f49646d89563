import { describe, expect, it } from 'vitest';
import { sha256 } from './digest.ts';
import { orderToml, stackToml } from './toml.ts';
import { writeTar, type TarEntry } from './ustar.ts';

function directory(name: string, uid = 0, gid = 0): TarEntry {
  return { name, mode: 0o755, uid, gid, content: { kind: 'directory' } };
}

function file(name: string, text: string): TarEntry {
  return { name, mode: 0o644, content: { kind: 'file', bytes: Buffer.from(text) } };
}

/** The directories of kpack's builders: fewer than ours, and written by Go's archive/tar. */
function kpackDirectories(uid: number, gid: number): TarEntry[] {
  const roots = ['/cnb', '/cnb/buildpacks', '/platform', '/platform/env'];
  return [directory('/workspace', uid, gid), directory('/layers', uid, gid), ...roots.map((name) => directory(name))];
}

describe('writeTar', () => {
  it.each([
    { uid: 1000, gid: 1001, bytes: 4096, digest: '25bce695b07044f5620a92c203aebb085cae8664d7c9b136f9f3be37957b6409' },
    { uid: 4000, gid: 3000, bytes: 4096, digest: 'b7118c9ed909a0ac159970e55fa5835d5b0bf632f6c80918c2aa37ecd835af1e' },
    {
      uid: 2097151,
      gid: 2097151,
      bytes: 4096,
      digest: 'fc04b40679a66fbefb0ad484f82ceeebe99d8d34cecf140b82531bb3c5727ef8',
    },
    {
      uid: 2097152,
      gid: 1000,
      bytes: 6144,
      digest: '8569b23f608ac6b5307a4cacd6f239d07318079155ff695b390a687b5b1124a7',
    },
    {
      uid: 1000,
      gid: 2097152,
      bytes: 6144,
      digest: 'eaf61c1a5ea6b8c3554c9d607a04d76dbb59944e6ddc7e2d9ae75d71404a9242',
    },
    {
      uid: 4000000000,
      gid: 3000000000,
      bytes: 6144,
      digest: 'da824ed8dc27410769cbc4e96a7faa62782511f17acc993c6d9428c0f3f2bf80',
    },
  ])('writes directories of $uid:$gid as Go does', ({ uid, gid, bytes, digest }) => {
    const tar = writeTar(kpackDirectories(uid, gid));
    expect({ bytes: tar.length, digest: sha256(tar) }).toEqual({ bytes, digest: `sha256:${digest}` });
  });

  it('writes a symlink as Go does', () => {
    const tar = writeTar([{ name: '/lifecycle', mode: 0o644, content: { kind: 'symlink', target: '/cnb/lifecycle' } }]);
    expect(sha256(tar)).toBe('sha256:41216758942da62046d9f6f702a4d892e7961b0f0a55a02c8717dcbaa774e80a');
  });

  it('writes the stack file of kpack', () => {
    const image = `registry.example.com/team/builder:builder-ns-name-run-image@sha256:${'a'.repeat(64)}`;
    const tar = writeTar([file('/cnb/stack.toml', stackToml(image))]);
    expect(sha256(tar)).toBe('sha256:dab20a3dcf310b3c644eed1d2b0ce24a736170262fa5899702eb7e14cbbb2113');
  });

  it('writes the order file of kpack', () => {
    const group = [
      { id: 'io.buildpack.1', version: 'v1' },
      { id: 'io.buildpack.2', version: 'v2', optional: true },
      { id: 'io.buildpack.4', version: 'v4' },
    ];
    const tar = writeTar([file('/cnb/order.toml', orderToml([{ group }]))]);
    expect(sha256(tar)).toBe('sha256:a4ae357595f7f744d8478f0b1d0c34c8e952d9bbea506b13be1afdda50773e07');
  });

  it('ends with two empty blocks and nothing else', () => {
    const tar = writeTar([file('/a', 'x'.repeat(512))]);
    expect(tar.length).toBe(512 + 512 + 1024);
    expect(tar.subarray(-1024).every((byte) => byte === 0)).toBe(true);
  });

  it.each(['/' + 'a'.repeat(100), '/ä'])('refuses the name %s, which a header cannot hold', (name) => {
    expect(() => writeTar([directory(name)])).toThrow(RangeError);
  });
});
