import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { eventually, startRuntimeRig } from './testing/runtime-rig.ts';

const program = fileURLToPath(new URL('./testing/widget-main.ts', import.meta.url));

it('run serves its health address and ends with 0 on a real SIGTERM', { timeout: 30_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'run-test-'));
  const rig = await startRuntimeRig();
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, rig.api.kubeconfig());
  const argv = ['--conditions=@buildkeeper/source', program, '--kubeconfig', kubeconfig, '--http-address=127.0.0.1:0'];
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] });
  let log = '';
  child.stdout.on('data', (chunk: Buffer) => (log += chunk.toString()));
  const closed = new Promise((resolve) => child.once('close', resolve));

  const address = await eventually(() => /"address":"([^"]+)"/.exec(log)?.[1], 20_000);
  expect((await fetch(`${address}/healthz`)).status).toBe(200);
  child.kill('SIGTERM');
  expect(await closed).toBe(0);
  expect(log.trim().split('\n').at(-1)).toContain('"msg":"stopped"');
  await rig.close();
  rmSync(folder, { recursive: true });
});
