import { describe, expect, it } from 'vitest';
import { SingleFlight } from './single-flight.ts';

function flightOf() {
  const flights = new SingleFlight<string>();
  const started: { signal: AbortSignal; land: (value: string) => void; crash: (error: Error) => void }[] = [];
  const join = (signal = new AbortController().signal) =>
    flights.run('key', signal, (flightSignal) => {
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      started.push({ signal: flightSignal, land: resolve, crash: reject });
      return promise;
    });
  return { started, join };
}

describe('SingleFlight', () => {
  it('starts once for all who come while it is under way', async () => {
    const { started, join } = flightOf();
    const all = [join(), join(), join()];
    started[0]!.land('token');
    expect(await Promise.all(all)).toEqual(['token', 'token', 'token']);
    expect(started).toHaveLength(1);
  });

  it('starts anew for who comes afterwards, also after a failure', async () => {
    const { started, join } = flightOf();
    const first = join();
    started[0]!.crash(new Error('down'));
    await expect(first).rejects.toThrow('down');
    const second = join();
    started[1]!.land('token');
    expect(await second).toBe('token');
  });

  it('lets one leave without disturbing the others', async () => {
    const { started, join } = flightOf();
    const leaver = new AbortController();
    const leaving = join(leaver.signal);
    const staying = join();
    leaver.abort(new Error('left'));
    await expect(leaving).rejects.toThrow('left');
    expect(started[0]!.signal.aborted).toBe(false);
    started[0]!.land('token');
    expect(await staying).toBe('token');
  });

  it('gives the flight up when the last one leaves, and starts anew for the next', async () => {
    const { started, join } = flightOf();
    const leaver = new AbortController();
    const leaving = join(leaver.signal);
    leaver.abort(new Error('left'));
    const next = join();
    await expect(leaving).rejects.toThrow('left');
    expect(started[0]!.signal.aborted || started.length === 1).toBe(true);
    started.at(-1)!.land('token');
    expect(await next).toBe('token');
  });

  it('does not start for who has left already', async () => {
    const { started, join } = flightOf();
    await expect(join(AbortSignal.abort(new Error('left')))).rejects.toThrow('left');
    expect(started).toHaveLength(0);
  });
});
