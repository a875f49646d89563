import { describe, expect, it } from 'vitest';
import { readTar } from '../testing/read-tar.ts';
import { createTar } from './tar-archive.ts';

describe('createTar', () => {
  it('writes what another reader reads, in the order given', async () => {
    const tar = createTar([
      { name: '/cnb' },
      { name: 'home/cnb', mode: 0o775, uid: 1001, gid: 1000 },
      { name: 'a', content: 'x'.repeat(513), mode: 0o755 },
      { name: 'empty', content: '' },
      { name: 'link', linkTo: 'a' },
    ]);
    const common = { owner: '0:0', linkTo: '', modified: '1980-01-01T00:00:01.000Z', content: '' };
    expect(await readTar(tar)).toEqual([
      { ...common, name: '/cnb', type: 'directory', mode: 0o755 },
      { ...common, name: 'home/cnb', type: 'directory', mode: 0o775, owner: '1001:1000' },
      { ...common, name: 'a', type: 'file', mode: 0o755, content: 'x'.repeat(513) },
      { ...common, name: 'empty', type: 'file', mode: 0o644 },
      { ...common, name: 'link', type: 'symlink', mode: 0o777, linkTo: 'a' },
    ]);
    expect(tar.length % 512).toBe(0);
    expect(tar.subarray(-1024).every((byte) => byte === 0)).toBe(true);
  });

  it('refuses a name that does not fit the header', () => {
    expect(() => createTar([{ name: 'x'.repeat(101) }])).toThrow(RangeError);
  });
});
