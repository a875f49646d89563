import { setTimeout as delay } from 'node:timers/promises';
import { type Clock, createSystemClock } from '@buildkeeper/retry-policy';
import { afterEach, describe, expect, it } from 'vitest';
import { quickTiming, type Rig, type RigOptions, startRig, until } from './testing/rig.ts';
import { errorLine, eventLine, refuse, reset, type ScriptServer } from './testing/script-server.ts';

let rig: Rig;
afterEach(async () => {
  await rig.close();
  expect(rig.contradictions).toEqual([]);
});

const start = (script: (server: ScriptServer) => void, options: RigOptions = {}) =>
  startRig({
    prepare: (server) => {
      server.write('w1', 1);
      script(server);
    },
    ...options,
  });

/** Changes something and waits until the mirror shows it: whatever came before, the reflector goes on. */
async function goesOn(): Promise<void> {
  await rig.reflector.synced;
  rig.server.write('last', 99);
  await rig.settled();
  expect(rig.story.filter((line) => line === 'added last=99')).toHaveLength(1);
}

describe('every row of the fault table of the official informer', () => {
  it('LIST answers 503 once: lists again', async () => {
    rig = await start((server) => server.scripts.list.push(refuse(503, 'ServiceUnavailable')));
    await goesOn();
    expect(rig.server.count('list')).toBe(2);
    expect(rig.logs.map((line) => line.msg)).toEqual(['Cannot list example.org/v1 widgets: 503 ServiceUnavailable']);
  });

  it('WATCH answers 500 once: watches again from the same place, without a list', async () => {
    rig = await start((server) => server.scripts.watch.push(refuse(500, 'InternalError')));
    await goesOn();
    expect(rig.server.count('list')).toBe(1);
    expect(rig.server.count('watch')).toBe(2);
  });

  it('WATCH answers 429 with Retry-After: waits as long as asked', async () => {
    rig = await start((server) => server.scripts.watch.push(refuse(429, 'TooManyRequests', { 'retry-after': '1' })));
    await goesOn();
    const [first, second] = rig.server.seen.filter((one) => one.kind === 'watch');
    expect(second!.atMs - first!.atMs).toBeGreaterThanOrEqual(995);
    expect(second!.atMs - first!.atMs).toBeLessThan(4000);
  });

  it('connection reset mid-watch: nothing is lost and nothing told twice', async () => {
    rig = await start(() => undefined);
    await until(() => rig.server.openWatches === 1);
    rig.server.write('w1', 2);
    await rig.settled();
    rig.server.cut();
    rig.server.write('w1', 3);
    rig.server.remove('w1');
    rig.server.write('w2', 4);
    await rig.settled();
    expect(rig.story).toEqual(['added w1=1', 'updated w1=2', 'updated w1=3', 'deleted w1=3', 'added w2=4']);
    expect(rig.server.count('list')).toBe(1);
    const from = rig.server.seen.flatMap((one) => one.url.searchParams.get('resourceVersion') ?? []);
    expect(from).toEqual(['11', '12']);
  });

  it('clean close at once, repeatedly: comes back at a bounded, jittered rate', async () => {
    const close: ScriptServer['scripts']['watch'][number] = (response) => {
      response.writeHead(200).end();
    };
    rig = await start((server) => server.scripts.watch.push(...Array.from({ length: 8 }, () => close)), {
      reflector: { random: () => 0.5 },
    });
    await goesOn();
    await until(() => rig.server.count('watch') === 9);
    const at = rig.server.seen.filter((one) => one.kind === 'watch').map((one) => one.atMs);
    const gaps = at.slice(1).map((atMs, index) => atMs - at[index]!);
    // The draw 0.5 makes each wait three quarters of 10, 20, 40, 80 ms.
    const least = [7.5, 15, 30, 60, 60, 60, 60, 60];
    gaps.forEach((gapMs, index) => {
      expect(gapMs).toBeGreaterThanOrEqual(Math.floor(least[index]! - 2));
    });
    expect(rig.server.count('list')).toBe(1);
  });

  it('in-stream ERROR 410: makes a new list and tells the difference', async () => {
    rig = await start((server) => server.write('w2', 2));
    await until(() => rig.server.openWatches === 1);
    rig.server.sendRaw(errorLine(410, 'Expired'));
    await until(() => rig.server.count('list') === 2);
    await goesOn();
    expect(rig.story).toEqual(['added w1=1', 'added w2=2', 'added last=99']);
  });

  it('410 for a version that was compacted while disconnected: deletions are found by the new list', async () => {
    rig = await start((server) => server.write('w2', 2));
    await until(() => rig.server.openWatches === 1);
    rig.server.scripts.watch.push(refuse(503, 'ServiceUnavailable'));
    rig.server.cut();
    rig.server.remove('w1');
    rig.server.write('w2', 3);
    rig.server.write('w3', 4);
    rig.server.compact();
    await rig.settled();
    expect(rig.story.slice(2).sort()).toEqual(['added w3=4', 'deleted w1=1', 'updated w2=3']);
  });

  it('HTTP 410 in answer to the watch: makes a new list', async () => {
    rig = await start((server) => server.scripts.watch.push(refuse(410, 'Gone')));
    await goesOn();
    expect(rig.server.count('list')).toBe(2);
  });

  it('in-stream ERROR 500 with the stream left open: drops it and watches again', async () => {
    rig = await start(() => undefined);
    await until(() => rig.server.openWatches === 1);
    rig.server.sendRaw(errorLine(500, 'InternalError'));
    await until(() => rig.server.count('watch') === 2);
    await until(() => rig.server.openWatches === 1);
    await goesOn();
    expect(rig.server.count('list')).toBe(1);
  });

  it('a listener that throws on a watch event: is logged, the event is in the store, the next one comes', async () => {
    rig = await start(() => undefined, {
      onChange: ({ object }) => {
        if (object.spec.size === 13) throw new Error('unlucky');
      },
    });
    await until(() => rig.server.openWatches === 1);
    rig.server.write('w1', 13);
    await goesOn();
    expect(rig.server.count('watch')).toBe(1);
    expect(rig.logs).toMatchObject([{ level: 'error', object: 'team/w1', err: { message: 'unlucky' } }]);
  });

  it('a listener that throws during the list: the rest is delivered and a watch opened', async () => {
    rig = await start((server) => server.write('w2', 2), {
      onChange: ({ object }) => {
        if (object.metadata.name === 'w1') throw new Error('unlucky');
      },
    });
    await goesOn();
    expect(rig.story).toEqual(['added w1=1', 'added w2=2', 'added last=99']);
  });

  it('deleted and recreated while disconnected: a deletion and an addition', async () => {
    rig = await start(() => undefined);
    await until(() => rig.server.openWatches === 1);
    rig.server.cut();
    rig.server.remove('w1');
    rig.server.write('w1', 2);
    rig.server.compact();
    await rig.settled();
    expect(rig.story).toEqual(['added w1=1', 'deleted w1=1', 'added w1=2']);
  });

  it('a raw U+2028 in a string: the event arrives whole', async () => {
    rig = await start(() => undefined);
    await until(() => rig.server.openWatches === 1);
    rig.server.write('w1', 2, { spec: { size: 2, text: 'a\u2028b\u0085c' } });
    await rig.settled();
    expect(rig.reflector.store.get('team/w1')?.spec.text).toBe('a\u2028b\u0085c');
    expect(rig.server.count('watch')).toBe(1);
  });
});

describe('the pause before the next watch', () => {
  /** What a reflector with its usual pace waits each time, its draws being 0.5; and what it asked for. */
  async function pausesAfter(watches: ScriptServer['scripts']['watch']): Promise<readonly number[]> {
    const pauses: number[] = [];
    const clock: Clock = {
      ...createSystemClock(),
      sleep(ms) {
        pauses.push(ms);
        return Promise.resolve();
      },
    };
    rig = await start((server) => server.scripts.watch.push(...watches), {
      reflector: { clock, random: () => 0.5, timing: {} },
    });
    await until(() => rig.server.openWatches === 1);
    return pauses;
  }
  const close: ScriptServer['scripts']['watch'][number] = (response) => {
    response.writeHead(200).end();
  };
  const fail = refuse(503, 'ServiceUnavailable');
  const times = <T>(count: number, one: T): T[] => Array.from({ length: count }, () => one);

  it('grows to 5 s after watches that ended cleanly at once', async () => {
    expect(await pausesAfter(times(12, close))).toEqual([375, 750, 1500, 3000, ...times(8, 3750)]);
  });

  it('grows to 30 s after watches that failed', async () => {
    const growing = [375, 750, 1500, 3000, 6000, 12_000];
    expect(await pausesAfter(times(9, fail))).toEqual([...growing, ...times(3, 22_500)]);
  });

  it('is not made longer by clean ends when a failure follows, nor shorter by them', async () => {
    const watches = [...times(6, close), fail, fail, close, fail];
    expect(await pausesAfter(watches)).toEqual([375, 750, 1500, 3000, 3750, 3750, 375, 750, 3750, 1500]);
    expect(rig.server.count('list')).toBe(1);
  });
});

describe('other faults', () => {
  it('finds a black-holed watch by its silence', async () => {
    rig = await start(
      (server) =>
        server.scripts.watch.push((response) => {
          response.writeHead(200).flushHeaders();
        }),
      { reflector: { timing: { ...quickTiming, silenceMs: 80 } } },
    );
    await rig.reflector.synced;
    rig.server.write('w1', 2);
    await rig.settled();
    expect(rig.logs[0]?.msg).toBe('Cannot watch example.org/v1 widgets: the silence of a watch ran out');
  });

  it('makes a new list after five silent watches in a row, however long they lasted', async () => {
    // So waits a server for a version that it had reached before it was restored from a backup.
    const wait: ScriptServer['scripts']['watch'][number] = (response) => {
      response.writeHead(200).flushHeaders();
    };
    rig = await start((server) => server.scripts.watch.push(...Array.from({ length: 5 }, () => wait)), {
      reflector: { timing: { ...quickTiming, silenceMs: 40, steadyAfterMs: 20 } },
    });
    await until(() => rig.server.count('watch') === 6);
    expect(rig.server.count('list')).toBe(2);
  });

  it('finds a watch that never answers', async () => {
    rig = await start((server) => server.scripts.watch.push(() => undefined), {
      reflector: { timing: { ...quickTiming, silenceMs: 80 } },
    });
    await goesOn();
  });

  it('reads an event that comes in pieces cut inside a character', async () => {
    rig = await start(() => undefined);
    await until(() => rig.server.openWatches === 1);
    const object = { ...rig.server.objects.get('w1')!, spec: { size: 7, text: 'größer → 🦉' } };
    const bytes = Buffer.from(
      eventLine({ type: 'MODIFIED', object: { ...object, metadata: { ...object.metadata, resourceVersion: '99' } } }),
    );
    for (const byte of bytes) {
      rig.server.sendRaw(Buffer.of(byte));
      if (byte > 0x7f) await delay(1);
    }
    await until(() => rig.reflector.store.get('team/w1')?.spec.size === 7);
    expect(rig.reflector.store.get('team/w1')?.spec.text).toBe('größer → 🦉');
  });

  it('forgets half an event at the end of a stream, and gets it whole from the next one', async () => {
    rig = await start(() => undefined);
    await until(() => rig.server.openWatches === 1);
    rig.server.sendRaw('{"type":"MODIFIED","object":{"metadata":{"na');
    rig.server.endWatches();
    await goesOn();
    expect(rig.story).toEqual(['added w1=1', 'added last=99']);
  });

  it.each([
    ['a line that is no JSON', 'nonsense\n'],
    ['an event of no known type', '{"type":"PATCHED","object":{"metadata":{"resourceVersion":"1"}}}\n'],
    ['an event without a version', '{"type":"ADDED","object":{"metadata":{"name":"x"}}}\n'],
    ['a line that is null', 'null\n'],
  ])('watches again after %s', async (_, line) => {
    rig = await start(() => undefined);
    await until(() => rig.server.openWatches === 1);
    rig.server.sendRaw(line);
    await until(() => rig.server.count('watch') === 2);
    await goesOn();
    expect(rig.logs[0]?.msg).toBe(
      'Cannot watch example.org/v1 widgets: the answer is not understood (not a watch event)',
    );
  });

  it('starts the list over when its continue token expires', async () => {
    rig = await start((server) => {
      for (let at = 2; at <= 5; at += 1) server.write(`w${at}`, at);
      server.scripts.list.push(undefined, (response, { url }) => {
        server.remove('w2');
        server.compact();
        server.answerList(response, url);
      });
    });
    await goesOn();
    expect(rig.story).toEqual(['added w1=1', 'added w3=3', 'added w4=4', 'added w5=5', 'added last=99']);
    expect(rig.server.count('list')).toBe(4);
  });

  it('keeps the store while lists fail', async () => {
    rig = await start(() => undefined);
    await until(() => rig.server.openWatches === 1);
    rig.server.scripts.list.push(refuse(503, 'ServiceUnavailable'), reset, refuse(401, 'Unauthorized'), reset);
    rig.server.sendRaw(errorLine(410, 'Expired'));
    await until(() => rig.server.count('list') >= 4);
    expect(rig.reflector.store.size).toBe(1);
    await goesOn();
    expect(rig.story).toEqual(['added w1=1', 'added last=99']);
  });

  it('waits for a kind that is not installed yet', async () => {
    rig = await start((server) => server.scripts.list.push(refuse(404, 'NotFound'), refuse(404, 'NotFound')));
    await goesOn();
  });

  it('waits for a server that is not there yet', async () => {
    rig = await start((server) => server.scripts.list.push(reset, reset, reset, reset, reset, reset));
    await goesOn();
  });

  it('makes a new list after five failed watches in a row, whatever they say', async () => {
    rig = await start((server) =>
      server.scripts.watch.push(...Array.from({ length: 5 }, () => refuse(504, 'Timeout'))),
    );
    await until(() => rig.server.count('watch') === 6);
    expect(rig.server.count('list')).toBe(2);
    await goesOn();
  });

  it('takes the shortest pause again after a watch that lasted', async () => {
    const pace = { baseDelayMs: 10, factor: 2, maxDelayMs: 60_000 };
    rig = await start((server) => server.scripts.watch.push(...Array.from({ length: 6 }, () => reset)), {
      reflector: { timing: { ...quickTiming, pace, steadyAfterMs: 50 }, random: () => 0 },
    });
    await until(() => rig.server.openWatches === 1);
    await delay(60);
    const endedMs = Date.now();
    rig.server.endWatches();
    await until(() => rig.server.count('watch') === 8);
    // Without a new start it would be 320 ms.
    expect(rig.server.seen.at(-1)!.atMs - endedMs).toBeLessThan(200);
  });
});
