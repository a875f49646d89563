import { afterEach, expect, it } from 'vitest';
import { type Rig, startRig } from './testing/rig.ts';

let rig: Rig;
afterEach(() => rig.close());

it('delivers what is there, then what changes', async () => {
  rig = await startRig({
    prepare: (server) => {
      for (let at = 1; at <= 7; at += 1) server.write(`w${at}`, at);
    },
  });
  await rig.reflector.synced;
  expect(rig.reflector.hasSynced()).toBe(true);
  rig.server.write('w1', 10);
  rig.server.remove('w2');
  rig.server.write('w8', 8);
  await rig.settled();
  expect(rig.story.slice(7)).toEqual(['updated w1=10', 'deleted w2=2', 'added w8=8']);
  expect(rig.server.count('list')).toBe(3);
});
