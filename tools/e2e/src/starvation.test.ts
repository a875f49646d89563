import { sampleBuilder } from '@buildkeeper/local-cluster';
import { startFaultProxy, startOciRegistry, type FaultProxy, type OciRegistry } from '@buildkeeper/embedded-cluster';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, testPace, type World } from './world.ts';

// kpack's row "accepts, then silent": both workers parked for ever, and a healthy builder on another registry starved.
describe('a registry that accepts and stays silent', () => {
  let world: World;
  let silentRegistry: OciRegistry;
  let silent: FaultProxy;
  beforeAll(async () => {
    silentRegistry = await startOciRegistry();
    silent = await startFaultProxy({ targetPort: silentRegistry.port });
    world = await createWorld({ flags: [...testPace, '--plain-http-registry', silent.host] });
    await world.applySamples();
    await world.untilSettled(20_000);
  });
  afterAll(async () => {
    await world.close();
    await silent.close();
    await silentRegistry.close();
  });

  it('does not keep a builder on another registry waiting', async () => {
    silent.blackhole();
    for (const name of ['silent-1', 'silent-2', 'silent-3']) await world.api.apply(sampleBuilder(name, silent.host));
    await world.until(
      'a silent one has failed',
      (states) => states.some((one) => one.name === 'silent-1' && one.ready === 'False'),
      20_000,
    );
    await world.api.apply(sampleBuilder('healthy', world.registry));
    await world.until(
      'the healthy one is Ready',
      (states) => states.some((one) => one.name === 'healthy' && one.ready === 'True'),
      5000,
    );
    expect(await world.state('Builder/silent-1')).toMatchObject({
      ready: 'False',
      readyReason: 'RegistryTimeout',
      host: silent.host,
    });
  });

  it('has its builders brought back when it speaks again', async () => {
    silent.unblackhole();
    await world.untilSettled(8000);
  });
});
