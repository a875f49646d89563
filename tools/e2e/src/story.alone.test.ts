import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../../..');

/** Runs what `npm start` runs after the build; answers its exit code and what it printed. */
async function start(...flags: readonly string[]): Promise<{ code: number | null; output: string }> {
  const args = ['--conditions=@buildkeeper/source', 'tools/local-cluster/src/main.ts', ...flags];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  const pieces: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (piece: Buffer) => pieces.push(piece.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output: pieces.join('') };
}

describe('npm start', () => {
  it('makes all samples Ready with --once, within 30 s', async () => {
    const startMs = performance.now();
    const { code, output } = await start('--once');
    expect(output).toContain('Everything is Ready');
    expect(code).toBe(0);
    expect(performance.now() - startMs).toBeLessThan(30_000);
  });

  it.each(['refuse', 'reset', '503'])(
    'tells both acts of an outage by %s, and everything is as promised',
    async (fault) => {
      const { code, output } = await start('--once', '--outage', '6s', '--outage-fault', fault);
      expect(output).not.toContain('NOT AS PROMISED');
      expect(output).toMatch(/Act one: down for 6\.0 s, everything Ready \d+\.\d s after/);
      expect(output).toMatch(/Act two: down for 6\.0 s, everything Ready \d+\.\d s after/);
      // Within ten seconds of the return: --retry-max is 5 s here.
      expect(output).not.toMatch(/everything Ready \d\d\.\d s after/);
      expect(code).toBe(0);
    },
  );

  it('comes back within twice the outage and a second, with the paces that users have by default', async () => {
    const { code, output } = await start('--once', '--outage', '8s', '--retry-max', '5m');
    expect(code, output).toBe(0);
    const seconds = [...output.matchAll(/everything Ready (\d+\.\d) s after/g)].map(([, text]) => Number(text));
    expect(seconds).toHaveLength(2);
    for (const one of seconds) expect(one).toBeLessThanOrEqual(2 * 8 + 1);
  });

  it('ends with 1 and says so when not everything is Ready within --timeout', async () => {
    const { code, output } = await start('--once', '--timeout', '1ms');
    expect(output).toContain('NOT AS PROMISED: Not everything was Ready in time');
    expect(code).toBe(1);
  });

  it.each([
    { flags: ['--outage', 'soon'], says: '--outage: soon is no duration' },
    { flags: ['--outage-fault', 'flood'], says: '--outage-fault: must be one of refuse' },
    { flags: ['--nonsense'], says: 'nonsense' },
  ])('refuses $flags with a sentence', async ({ flags, says }) => {
    const { code, output } = await start(...flags);
    expect(output).toContain(says);
    expect(output).not.toContain('    at ');
    expect(code).toBe(1);
  });
});
