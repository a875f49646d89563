import { ManualClock } from '@buildkeeper/retry-policy';
import { describe, expect, it } from 'vitest';
import { createCaBundle } from './ca-bundle.ts';

function rig(path: string | undefined) {
  const clock = new ManualClock();
  const file: { text: string | undefined } = { text: 'one' };
  const readFile = () => {
    if (file.text === undefined) throw Object.assign(new Error('gone'), { code: 'ENOENT' });
    return file.text;
  };
  const bundle = createCaBundle(path, { readFile, clock });
  const stop = new AbortController();
  let changes = 0;
  const running = bundle.run(() => (changes += 1), stop.signal);
  return { clock, file, bundle, stop, running, changes: () => changes };
}

describe('createCaBundle', () => {
  it('has no text without a file, and no timer', async () => {
    const { bundle, running, clock } = rig(undefined);
    await running;
    expect(bundle.read()).toBeUndefined();
    expect(clock.sleeperCount).toBe(0);
  });

  it('tells once when the file has changed', async () => {
    const { clock, file, bundle, stop, running, changes } = rig('/ca.pem');
    await clock.advance(30_000);
    expect(changes()).toBe(0);
    file.text = 'two';
    expect(bundle.read()).toBe('two');
    await clock.advance(30_000);
    expect(changes()).toBe(1);
    stop.abort();
    await running;
  });

  it('keeps the last text while the file is away', async () => {
    const { clock, file, bundle, stop, running, changes } = rig('/ca.pem');
    file.text = undefined;
    await clock.advance(30_000);
    expect(bundle.read()).toBe('one');
    expect(changes()).toBe(0);
    stop.abort();
    await running;
  });
});
