import { setTimeout as delay } from 'node:timers/promises';
import type { LiveTable } from './live-table.ts';
import { isSettled, type ObjectState } from './object-state.ts';
import type { OutageFault } from './options.ts';

/** The world in which the story plays. */
export interface StoryStage {
  readonly table: LiveTable;
  /** The states of all objects now. */
  look(): Promise<readonly ObjectState[]>;
  /** Makes the registry fail, or answer again. */
  failRegistry(fault: OutageFault): Promise<void>;
  mendRegistry(): Promise<void>;
  /** Creates the sample resources. */
  applySamples(): Promise<void>;
  /** Creates one more Builder and one more ClusterBuilder. */
  createLateBuilders(): Promise<void>;
  /** Asks the store and the stack to look at their images again. */
  requestReconcile(): Promise<void>;
}

/** How one act ended. */
export interface ActResult {
  readonly name: string;
  readonly downMs: number;
  /** From the return of the registry until every object was Ready; undefined when that did not happen in time. */
  readonly recoveredAfterMs: number | undefined;
  /** What was not as promised, a sentence each; empty when all was. */
  readonly faults: readonly string[];
}

/** The reason that a dead registry gives, by the way in which it is dead. */
const reasonOf: Readonly<Record<OutageFault, string>> = {
  refuse: 'RegistryUnavailable',
  reset: 'RegistryUnavailable',
  hang: 'RegistryTimeout',
  '500': 'RegistryError',
  '503': 'RegistryError',
  '429': 'RegistryThrottled',
};

/** Looks until `isOver` holds or the time is up, showing each look; answers the milliseconds it took. */
export async function lookUntil(
  stage: StoryStage,
  isOver: (states: readonly ObjectState[]) => boolean,
  timeoutMs: number,
): Promise<number | undefined> {
  const startMs = performance.now();
  for (;;) {
    const states = await stage.look();
    stage.table.show(states);
    if (isOver(states)) return performance.now() - startMs;
    if (performance.now() - startMs > timeoutMs) return undefined;
    await delay(200);
  }
}

/** Whether there are objects, and all of them are Ready and UpToDate. */
export function areAllSettled(states: readonly ObjectState[]): boolean {
  return states.length > 0 && states.every(isSettled);
}

/** Act one: the registry is dead when the resources are created. */
export async function playActOne(stage: StoryStage, fault: OutageFault, outageMs: number, timeoutMs: number) {
  await stage.failRegistry(fault);
  stage.table.say(`Act one: the registry is down (${fault}); the sample resources are created now.`);
  await stage.applySamples();
  await lookUntil(stage, () => false, outageMs);
  const faults = actOneFaults(await stage.look(), fault);
  return { name: 'Act one', downMs: outageMs, ...(await mend(stage, timeoutMs)), faults } satisfies ActResult;
}

/** Act two, the story of kpack #550: all is well, the registry dies, and then builders are created. */
export async function playActTwo(stage: StoryStage, fault: OutageFault, outageMs: number, timeoutMs: number) {
  const older = (await stage.look()).map((state) => state.title);
  await stage.failRegistry(fault);
  stage.table.say(`Act two: the registry is down again (${fault}); a Builder and a ClusterBuilder are created now,`);
  stage.table.say('and the store and the stack are asked to look again.');
  await stage.createLateBuilders();
  await stage.requestReconcile();
  const dipped = new Set<string>();
  const watchOlder = (states: readonly ObjectState[]) => {
    for (const state of states) if (older.includes(state.title) && state.ready !== 'True') dipped.add(state.title);
    return false;
  };
  await lookUntil(stage, watchOlder, outageMs);
  const faults = [
    ...[...dipped].map((title) => `${title} was Ready before the outage and did not stay so`),
    ...actTwoFaults(await stage.look(), older, fault),
  ];
  return { name: 'Act two', downMs: outageMs, ...(await mend(stage, timeoutMs)), faults } satisfies ActResult;
}

async function mend(stage: StoryStage, timeoutMs: number): Promise<{ recoveredAfterMs: number | undefined }> {
  await stage.mendRegistry();
  stage.table.say('The registry answers again. Nobody touches anything.');
  return { recoveredAfterMs: await lookUntil(stage, areAllSettled, timeoutMs) };
}

function actOneFaults(states: readonly ObjectState[], fault: OutageFault): string[] {
  return states.flatMap((state) => {
    const isBuilder = state.kind.endsWith('Builder');
    if (state.kind === 'ClusterLifecycle') return [];
    const wanted = isBuilder ? ['Unknown', 'DependencyNotReady'] : ['False', reasonOf[fault]];
    const isAsPromised = state.ready === wanted[0] && state.readyReason === wanted[1];
    return isAsPromised ? [] : [`${state.title} was ${state.ready}/${state.readyReason}, not ${wanted.join('/')}`];
  });
}

function actTwoFaults(states: readonly ObjectState[], older: readonly string[], fault: OutageFault): string[] {
  return states
    .filter((state) => !older.includes(state.title))
    .flatMap((state) => {
      const isAsPromised = state.ready === 'False' && state.readyReason === reasonOf[fault];
      return [
        ...(isAsPromised
          ? []
          : [`${state.title} was ${state.ready}/${state.readyReason}, not False/${reasonOf[fault]}`]),
        ...(state.host === '' ? [`${state.title} did not name the host in status.retry`] : []),
        ...(state.nextAttemptTime === '' ? [`${state.title} did not say when it tries next`] : []),
      ];
    });
}
