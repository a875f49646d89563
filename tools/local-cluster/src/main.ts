import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLiveTable } from './live-table.ts';
import { openLocalCluster, type LocalCluster } from './local-cluster.ts';
import { parseStoryOptions, storyHelp, type StoryOptions } from './options.ts';
import { failureCodesOf } from './outage.ts';
import { areAllSettled, lookUntil, playActOne, playActTwo, type ActResult } from './story.ts';
import { countFaults, summaryLines } from './summary.ts';

const startMs = performance.now();
const table = createLiveTable(process.stdout, () => performance.now() - startMs);

/** Plays what was asked for; answers what was not as promised, a sentence each. */
async function play(options: StoryOptions, cluster: LocalCluster): Promise<string[]> {
  if (options.outageMs === undefined) return playWithoutOutage(options, cluster);
  const { outageMs, outageFault, timeoutMs } = options;
  table.say(`--retry-max ${options.retryMax ?? '5m'} is passed to the controllers, so that the story is short.`);
  await cluster.failRegistry(outageFault);
  await cluster.startControllers();
  const acts: ActResult[] = [await playActOne(cluster, outageFault, outageMs, timeoutMs)];
  if (acts[0]?.recoveredAfterMs !== undefined) acts.push(await playActTwo(cluster, outageFault, outageMs, timeoutMs));
  const counts = await cluster.counts(failureCodesOf(outageFault));
  for (const line of summaryLines(acts, counts)) table.say(line);
  const isCounted = outageFault !== 'refuse' && outageFault !== 'hang';
  return [
    ...acts.flatMap((act) => act.faults),
    ...acts.flatMap((act) => (act.recoveredAfterMs === undefined ? [`${act.name}: not everything came back`] : [])),
    ...countFaults(counts, isCounted ? cluster.failedRequestsSeen() : undefined),
  ];
}

async function playWithoutOutage(options: StoryOptions, cluster: LocalCluster): Promise<string[]> {
  await cluster.startControllers();
  await cluster.applySamples();
  const tookMs = await lookUntil(cluster, areAllSettled, options.timeoutMs);
  if (tookMs === undefined) return ['Not everything was Ready in time'];
  table.say(`Everything is Ready ${(tookMs / 1000).toFixed(1)} s after the resources were created.`);
  return [];
}

/** Shows the table until Ctrl-C. */
async function stayUntilInterrupted(cluster: LocalCluster, interrupted: AbortSignal): Promise<void> {
  for (const line of cluster.howToLook()) table.say(line);
  await lookUntil(cluster, () => interrupted.aborted, Number.POSITIVE_INFINITY);
}

async function main(): Promise<number> {
  const options = parseStoryOptions(process.argv.slice(2));
  if (options.isHelp) {
    process.stdout.write(storyHelp);
    return 0;
  }
  const folder = mkdtempSync(join(tmpdir(), 'buildkeeper-'));
  const interrupt = new AbortController();
  const cluster = await openLocalCluster(options, folder, table);
  const end = async () => {
    await cluster.close();
    rmSync(folder, { recursive: true, force: true });
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      interrupt.abort();
      table.say('Stopping the controllers.');
      void end().then(() => process.exit(0));
    });
  }
  try {
    const faults = await play(options, cluster);
    for (const fault of faults) table.say(`NOT AS PROMISED: ${fault}`);
    if (!options.isOnce && faults.length === 0) await stayUntilInterrupted(cluster, interrupt.signal);
    return faults.length === 0 ? 0 : 1;
  } finally {
    if (!interrupt.signal.aborted) await end();
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
