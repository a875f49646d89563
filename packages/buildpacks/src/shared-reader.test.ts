import { anonymousKeychain, type Keychain } from '@buildkeeper/registry-client';
import { ManualClock } from '@buildkeeper/retry-policy';
import { describe, expect, it } from 'vitest';
import { createSharedReader } from './shared-reader.ts';

interface Flight {
  readonly image: string;
  readonly signal: AbortSignal;
  readonly previous: string | undefined;
  readonly land: (value: string) => void;
  readonly crash: (error: Error) => void;
}

function start() {
  const clock = new ManualClock();
  const flights: Flight[] = [];
  const reader = createSharedReader<string>({
    clock,
    refreshIntervalMs: 1000,
    readNow: (image, _keychain, signal, previous) =>
      new Promise((resolve, reject) => {
        flights.push({ image, signal, previous, land: resolve, crash: reject });
        signal.addEventListener('abort', () => {
          reject(signal.reason as Error);
        });
      }),
  });
  const { signal } = new AbortController();
  const read = (image = 'a', by = signal, keychain: Keychain = anonymousKeychain) => reader.read(image, keychain, by);
  return { clock, flights, read };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('createSharedReader', () => {
  it('reads once for all who ask at the same time', async () => {
    const { flights, read } = start();
    const all = Promise.all(Array.from({ length: 1000 }, () => read()));
    flights[0]!.land('x');
    expect(new Set(await all)).toEqual(new Set(['x']));
    expect(flights).toHaveLength(1);
  });

  it('reads again after the interval, and knows what it had', async () => {
    const { clock, flights, read } = start();
    const first = read();
    flights[0]!.land('x');
    await first;
    await clock.advance(999);
    expect(await read()).toBe('x');
    await clock.advance(1);
    const second = read();
    expect(flights[1]).toMatchObject({ image: 'a', previous: 'x' });
    flights[1]!.land('y');
    expect(await second).toBe('y');
  });

  it('keeps credentials apart: what is refused to one tenant is not refused to another', async () => {
    const { flights, read } = start();
    const robot: Keychain = { credentialFor: () => ({ username: 'robot', password: 'wrong' }) };
    const refused = read('a', undefined, robot).catch((error: unknown) => error);
    const open = read('a');
    expect(flights).toHaveLength(2);
    flights[0]!.crash(new Error('401'));
    flights[1]!.land('x');
    expect(await refused).toMatchObject({ message: '401' });
    expect(await open).toBe('x');
  });

  it('keeps images apart', async () => {
    const { flights, read } = start();
    const both = Promise.all([read('a'), read('b')]);
    flights[0]!.land('x');
    flights[1]!.land('y');
    expect(await both).toEqual(['x', 'y']);
  });

  it('gives a failure to those who waited for it, and forgets it', async () => {
    const { flights, read } = start();
    const both = [read(), read()].map((one) => one.catch((error: unknown) => error));
    flights[0]!.crash(new Error('down'));
    expect(await Promise.all(both)).toMatchObject([{ message: 'down' }, { message: 'down' }]);
    const next = read();
    flights[1]!.land('x');
    expect(await next).toBe('x');
  });

  it('does not answer with old content when the refresh fails', async () => {
    const { clock, flights, read } = start();
    const first = read();
    flights[0]!.land('x');
    await first;
    await clock.advance(1000);
    const second = read();
    flights[1]!.crash(new Error('down'));
    await expect(second).rejects.toThrow('down');
  });

  it('flies on for the others when one leaves', async () => {
    const { flights, read } = start();
    const stop = new AbortController();
    const leaving = read('a', stop.signal).catch((error: unknown) => error);
    const staying = read();
    stop.abort(new Error('stop'));
    expect(await leaving).toMatchObject({ message: 'stop' });
    expect(flights[0]!.signal.aborted).toBe(false);
    flights[0]!.land('x');
    expect(await staying).toBe('x');
  });

  it('stops when the last one leaves, and begins anew for the next', async () => {
    const { flights, read } = start();
    const stop = new AbortController();
    const leaving = Promise.all([read('a', stop.signal), read('a', stop.signal)]).catch((error: unknown) => error);
    stop.abort(new Error('stop'));
    await leaving;
    expect(flights[0]!.signal.aborted).toBe(true);
    const next = read();
    flights[1]!.land('x');
    expect(await next).toBe('x');
    await settle();
    expect(await read()).toBe('x');
    expect(flights).toHaveLength(2);
  });

  it('does not begin for somebody who has left', async () => {
    const { flights, read } = start();
    await expect(read('a', AbortSignal.abort(new Error('stop')))).rejects.toThrow('stop');
    expect(flights).toHaveLength(0);
  });

  it('forgets the image that was read longest ago when there are too many', async () => {
    const { flights, read } = start();
    for (let index = 0; index <= 1000; index += 1) {
      const one = read(`image${index}`);
      flights.at(-1)!.land('x');
      await one;
    }
    void read('image1').catch(() => undefined);
    expect(flights).toHaveLength(1001);
    void read('image0').catch(() => undefined);
    expect(flights).toHaveLength(1002);
  });
});
