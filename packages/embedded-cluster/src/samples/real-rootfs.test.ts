import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { realRootfs } from './real-rootfs.ts';

const rootfs = realRootfs();
const canChroot = process.getuid?.() === 0;

describe('realRootfs', () => {
  it('is undefined where the programs are not installed', () => {
    expect(realRootfs({ busybox: '/nowhere/busybox' })).toBeUndefined();
    expect(realRootfs({ bash: '/nowhere/bash' })).toBeUndefined();
  });

  it.skipIf((rootfs === undefined || !canChroot) && process.env['CI'] === undefined)(
    'runs scripts as the building user',
    () => {
      const folder = mkdtempSync(join(tmpdir(), 'rootfs-'));
      chmodSync(folder, 0o755);
      execFileSync('tar', ['-x', '-p', '--numeric-owner', '-C', folder], { input: rootfs! });
      const script =
        'id -u; basename /a/b; echo one | sed s/one/two/; touch /home/cnb/x /tmp/y; compgen -b | grep compgen';
      const output = execFileSync(
        'chroot',
        ['--userspec=1001:1000', folder, '/usr/bin/env', 'PATH=/bin', 'bash', '-c', script],
        { encoding: 'utf8' },
      );
      expect(output).toBe('1001\nb\ntwo\ncompgen\n');
      rmSync(folder, { recursive: true });
    },
  );
});
