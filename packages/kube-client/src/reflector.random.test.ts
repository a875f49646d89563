import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { failureOf } from '@buildkeeper/retry-policy';
import { quickTiming, type Rig, startRig } from './testing/rig.ts';
import { errorLine, refuse, reset, type ScriptServer, type Widget, widgetResource } from './testing/script-server.ts';

const names = fc.constantFrom('a', 'b', 'c', 'd');
const kinds = fc.constantFrom('list' as const, 'watch' as const);
const scripts = fc.constantFrom<ScriptServer['scripts']['list'][number][]>(
  [reset],
  [refuse(503, 'ServiceUnavailable')],
  [refuse(410, 'Expired')],
  [refuse(401, 'Unauthorized')],
  [
    (response) => {
      response.writeHead(200).end('{"type":');
    },
  ],
  [
    (response) => {
      response.writeHead(200);
      response.write('{"type":"ADD', () => response.socket?.resetAndDestroy());
    },
  ],
);

/** One thing that happens to the server, to its connections, or through our own client. */
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('write' as const), name: names, size: fc.nat(9) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('remove' as const), name: names }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('recreate' as const), name: names }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('putStatus' as const), name: names, isAwaited: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('missed' as const), name: names, other: names }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cut' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('endWatches' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('compact' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('errorLine' as const), code: fc.constantFrom(410, 500) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('script' as const), kind: kinds, script: scripts }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.nat(6) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

async function play(rig: Rig, one: Step, running: Set<Promise<void>>): Promise<void> {
  const { server } = rig;
  switch (one.do) {
    case 'write':
      server.write(one.name, one.size);
      break;
    case 'remove':
      server.remove(one.name);
      break;
    case 'recreate':
      server.remove(one.name);
      server.write(one.name, 0);
      break;
    case 'putStatus': {
      const written = putStatus(rig, one.name);
      if (one.isAwaited) await written;
      else running.add(written);
      break;
    }
    case 'missed':
      // All at once, so that no watch sees it: only a new list can tell.
      server.cut();
      server.remove(one.name);
      server.write(one.name, 1);
      server.remove(one.other);
      server.compact();
      break;
    case 'cut':
      server.cut();
      break;
    case 'endWatches':
      server.endWatches();
      break;
    case 'compact':
      server.compact();
      break;
    case 'errorLine':
      server.sendRaw(errorLine(one.code, 'Expired'));
      break;
    case 'script':
      server.scripts[one.kind].push(...one.script);
      break;
    case 'wait':
      await delay(one.ms);
  }
}

/** What a controller does: patches the status of the object as it knows it, and puts the answer. */
async function putStatus(rig: Rig, name: string): Promise<void> {
  const known = rig.reflector.store.get(`team/${name}`);
  if (known === undefined) return;
  const { resourceVersion } = known.metadata;
  const patch = { metadata: { resourceVersion }, status: { phase: `after ${resourceVersion}` } };
  try {
    const answer = await rig.client.patchStatus<Widget>(widgetResource, known.metadata, patch, rig.stop.signal);
    rig.reflector.store.put(answer, known);
  } catch (error) {
    // Somebody was faster, or the connection was cut: part of the game.
    if (failureOf(error) === undefined) throw error;
  }
}

/** What somebody who heard every change believes. */
function toldSizes(rig: Rig): Map<string, number> {
  const sizes = new Map<string, number>();
  for (const line of rig.story) {
    const [, type, name = '', size] = /^(\w+) (\w+)=(\d+)$/.exec(line) ?? [];
    if (type === 'deleted') sizes.delete(name);
    else sizes.set(name, Number(size));
  }
  return sizes;
}

it('equals the server in the end, and tells a story without contradictions, whatever happens in between', async () => {
  const story = fc.array(step, { minLength: 5, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(story, fc.boolean(), async (steps, areEventsLate) => {
      const pace = { baseDelayMs: 1, factor: 2, maxDelayMs: 8 };
      const rig = await startRig({ reflector: { timing: { ...quickTiming, pace, pageSize: 2 } } });
      try {
        if (areEventsLate) rig.server.delayEventsMs = 3;
        const running = new Set<Promise<void>>();
        for (const one of steps) await play(rig, one, running);
        await Promise.all(running);
        rig.server.scripts.list.length = 0;
        rig.server.scripts.watch.length = 0;
        await rig.settled();
        expect(rig.contradictions).toEqual([]);
        expect(toldSizes(rig)).toEqual(new Map([...rig.server.objects].map(([name, one]) => [name, one.spec.size])));
      } finally {
        await rig.close();
      }
    }),
    { numRuns: Number(process.env['FC_RUNS'] ?? 40), seed: Number(process.env['FC_SEED'] ?? 550) },
  );
});
