import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cacheFolder, findProgram, findPrograms } from './find-programs.ts';
import { serverVersion } from './server-version.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'envtest-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const environment = () => ({
  KUBEBUILDER_ASSETS: join(folder, 'assets'),
  XDG_CACHE_HOME: join(folder, 'cache'),
  PATH: join(folder, 'bin'),
});

function putProgram(parent: string, name: string): string {
  mkdirSync(parent, { recursive: true });
  const file = join(parent, name);
  writeFileSync(file, '#!/bin/sh\n');
  chmodSync(file, 0o755);
  return file;
}

describe('findProgram', () => {
  it('takes KUBEBUILDER_ASSETS before the cache, and the cache before PATH', () => {
    const env = environment();
    expect(findProgram('etcd', env)).toBeUndefined();
    for (const parent of [env.PATH, cacheFolder(env), env.KUBEBUILDER_ASSETS]) {
      const file = putProgram(parent, 'etcd');
      expect(findProgram('etcd', env)).toBe(file);
    }
  });

  it('passes by a folder, and a file that nobody may start', () => {
    const env = environment();
    mkdirSync(join(env.KUBEBUILDER_ASSETS, 'etcd'), { recursive: true });
    chmodSync(putProgram(cacheFolder(env), 'etcd'), 0o644);
    expect(findProgram('etcd', env)).toBeUndefined();
  });
});

describe('findPrograms', () => {
  it('says which program is missing and what to do', () => {
    const env = environment();
    expect(findPrograms(env)).toEqual({ reason: 'there is no etcd: install etcd-server' });
    const etcd = putProgram(env.PATH, 'etcd');
    expect(findPrograms(env)).toHaveProperty(
      'reason',
      expect.stringContaining('there is no kube-apiserver: run npx node'),
    );
    const apiServer = putProgram(env.PATH, 'kube-apiserver');
    expect(findPrograms(env)).toEqual({ programs: { apiServer, etcd } });
  });
});

describe('the version that is built', () => {
  const goMod = readFileSync(join(import.meta.dirname, '../apiserver/go.mod'), 'utf8');

  it('is the one that go.mod requires', () => {
    expect(/k8s\.io\/kubernetes (\S+)/.exec(goMod)?.[1]).toBe(serverVersion);
  });

  it('goes with staging modules of the same version, every one of them', () => {
    const replaced = [...goMod.matchAll(/k8s\.io\/\S+ => \S+ v0(\.\S+)/g)].map(([, version]) => `v1${version ?? ''}`);
    expect(replaced.length).toBeGreaterThan(25);
    expect(new Set(replaced)).toEqual(new Set([serverVersion]));
  });
});
