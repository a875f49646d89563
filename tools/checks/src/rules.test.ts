import { describe, expect, it } from 'vitest';
import { machinePaths } from './absolute-paths.ts';
import { silentCatches } from './empty-catch.ts';
import { lockAddresses } from './lock-file.ts';
import { missingReadmes } from './readmes.ts';

// In pieces, since the check reads this file too.
const abs = (...parts: string[]) => ['', ...parts].join('/');

describe('machinePaths', () => {
  it.each([
    ['the workspace', `see ${abs('some', 'parent', 'repo', 'a.ts')}`],
    ['a home folder', `cd ${abs('home', 'someone', 'repo')}`],
    ['the home folder of root', `"${abs('root', '.cache')}"`],
    ['a home folder of macOS', `(${abs('Users', 'someone')})`],
  ])('finds %s', (_, line) => {
    const problems = machinePaths([{ path: 'a.md', text: `first\n${line}` }], abs('some', 'parent', 'repo'));
    expect(problems).toEqual([expect.stringMatching(/^a\.md:2: /)]);
  });

  it.each([
    ['a home folder that an image has', `HOME=${abs('home', 'cnb', 'app')}`],
    ['a folder of the repository', `packages${abs('root', 'src')}`],
    ['the path of an address', `https://registry.example${abs('root', 'x')}`],
    ['a variable before it', `\${HOME}${abs('root', 'x')}`],
    ['a system path', '/etc/ssl/certs /tmp/x /cnb/order.toml'],
    ['a folder beside the workspace', `see ${abs('some', 'parent', 'other')}`],
  ])('leaves %s alone', (_, text) => {
    expect(machinePaths([{ path: 'a.md', text }], abs('some', 'parent', 'repo'))).toEqual([]);
  });

  it.each(['/', '/workspace'])(
    'leaves the workspace alone when it is %s, a name that files have other uses for',
    (root) => {
      expect(machinePaths([{ path: 'a.md', text: 'use /etc/ssl and /workspace/app' }], root)).toEqual([]);
    },
  );
});

describe('silentCatches', () => {
  it.each([
    ['an empty block', 'try { a(); } catch {}'],
    ['an empty block over two lines', 'try { a(); } catch (e) {\n}'],
    ['one inside a function', 'function a() { try { b(); } catch { } }'],
  ])('refuses %s', (_, text) => {
    expect(silentCatches([{ path: 'a.ts', text }])).toEqual([expect.stringMatching(/^a\.ts:1: /)]);
  });

  it.each([
    ['a comment', 'try { a(); } catch {\n  // It is gone already.\n}'],
    ['a statement', 'try { a(); } catch { return; }'],
    ['the words in a string', "const a = 'try {} catch {}';"],
  ])('accepts %s', (_, text) => {
    expect(silentCatches([{ path: 'a.ts', text }])).toEqual([]);
  });

  it('reads programs only', () => {
    expect(silentCatches([{ path: 'a.md', text: 'try { a(); } catch {}' }])).toEqual([]);
  });
});

describe('lockAddresses', () => {
  const lock = (entry: object) => JSON.stringify({ packages: { 'node_modules/a': entry } });

  it.each([
    ['a download address', { version: '1.0.0', resolved: 'https://host.example/a.tgz' }],
    ['a git address', { resolved: 'git+ssh://git@host.example/a.git#12' }],
    ['a registry host', { version: '1.0.0', from: 'registry.host.example/a' }],
  ])('refuses %s and names the package', (_, entry) => {
    expect(lockAddresses(lock(entry))).toEqual([expect.stringContaining('"node_modules/a"')]);
  });

  it.each([
    ['a version and a digest', { version: '1.0.0', integrity: 'sha512-abc' }],
    ['a link inside the workspace', { resolved: 'packages/registry-client', link: true }],
    ['where donations go', { version: '1.0.0', funding: { url: 'https://donate.example/a' } }],
  ])('accepts %s', (_, entry) => {
    expect(lockAddresses(lock(entry))).toEqual([]);
  });
});

describe('missingReadmes', () => {
  const manifest = { path: 'packages/a/package.json', text: '{}' };

  it.each([
    ['none', [manifest]],
    ['an empty one', [manifest, { path: 'packages/a/README.md', text: '' }]],
    ['one without a heading', [manifest, { path: 'packages/a/README.md', text: 'Text\n#hash' }]],
    ['one of another package', [manifest, { path: 'packages/b/README.md', text: '# b' }]],
  ])('names the package with %s', (_, files) => {
    expect(missingReadmes(files)).toEqual([expect.stringMatching(/^packages\/a: /)]);
  });

  it('accepts one with a heading, and asks nothing of other folders', () => {
    const other = { path: 'package.json', text: '{}' };
    expect(missingReadmes([manifest, other, { path: 'packages/a/README.md', text: '# a\n' }])).toEqual([]);
  });
});
