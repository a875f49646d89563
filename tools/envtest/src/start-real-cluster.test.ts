import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startRealCluster } from './start-real-cluster.ts';

describe('startRealCluster', () => {
  it('says what a server wrote that ended at its start, and leaves none running', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'envtest-'));
    const programOf = (name: string, text: string) => {
      const file = join(folder, name);
      writeFileSync(file, `#!/bin/sh\n${text}\n`);
      chmodSync(file, 0o755);
      return file;
    };
    const pidFile = join(folder, 'pid');
    const etcd = programOf('etcd', `echo $$ > ${pidFile}; exec sleep 60`);
    const apiServer = programOf(
      'kube-apiserver',
      `while [ ! -s ${pidFile} ]; do sleep 0.01; done; echo no luck; exit 3`,
    );
    await expect(startRealCluster({ apiServer, etcd })).rejects.toThrow(/ended before.*\n.*no luck/s);
    const pid = Number(readFileSync(pidFile, 'utf8'));
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    rmSync(folder, { recursive: true, force: true });
  });

  it('says so when a program can not be started at all', async () => {
    await expect(startRealCluster({ apiServer: '/nowhere/kube-apiserver', etcd: '/nowhere/etcd' })).rejects.toThrow(
      'ENOENT',
    );
  });
});
