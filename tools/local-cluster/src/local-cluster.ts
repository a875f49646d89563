import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startEmbeddedCluster, type EmbeddedCluster } from '@buildkeeper/embedded-cluster';
import { crdManifests } from '@buildkeeper/kpack-api';
import { crdResource, openCluster, type ClusterApi } from './cluster-api.ts';
import { controllerNames, startController, type ControllerProcess } from './controller-process.ts';
import type { LiveTable } from './live-table.ts';
import type { StoryOptions } from './options.ts';
import { endOutage, startOutage } from './outage.ts';
import { sampleBuilder, sampleClusterBuilder, sampleObjects } from './samples.ts';
import type { StoryStage } from './story.ts';
import { countsOf, type ControllerCounts } from './summary.ts';

/** The stage of the story, with what only its start and its end need. */
export interface LocalCluster extends StoryStage {
  startControllers(): Promise<void>;
  counts(failureCodes: readonly string[]): Promise<readonly ControllerCounts[]>;
  /** Requests to the registry that the proxy made fail. */
  failedRequestsSeen(): number;
  /** Sentences that say how to look at the cluster with other tools. */
  howToLook(): readonly string[];
  close(): Promise<void>;
}

/** Starts the embedded parts (or uses a real API server) and prepares everything but the controllers. */
export async function openLocalCluster(options: StoryOptions, folder: string, table: LiveTable): Promise<LocalCluster> {
  const embedded = await startEmbeddedCluster({ crds: crdManifests() });
  const kubeconfig = options.kubeconfig ?? join(folder, 'kubeconfig');
  if (options.kubeconfig === undefined) writeFileSync(kubeconfig, embedded.api.kubeconfig(), { mode: 0o600 });
  const api = openCluster(kubeconfig, options.context);
  if (options.hasInstallCrds) {
    for (const crd of crdManifests()) await api.apply(crd, crdResource);
  }
  return stageOf({ options, folder, table, embedded, kubeconfig, api, controllers: [] });
}

interface Parts {
  readonly options: StoryOptions;
  readonly folder: string;
  readonly table: LiveTable;
  readonly embedded: EmbeddedCluster;
  readonly kubeconfig: string;
  readonly api: ClusterApi;
  readonly controllers: ControllerProcess[];
}

function stageOf(parts: Parts): LocalCluster {
  const { embedded, api, table, controllers } = parts;
  const registry = embedded.proxy.host;
  return {
    table,
    look: () => api.look(),
    failRegistry: (fault) => startOutage(embedded.proxy, fault),
    mendRegistry: () => endOutage(embedded.proxy),
    async applySamples() {
      for (const object of sampleObjects(embedded.samples, registry)) await api.apply(object);
    },
    async createLateBuilders() {
      await api.apply(sampleBuilder('late-builder', registry));
      await api.apply(sampleClusterBuilder('late-clusterbuilder', registry));
    },
    async requestReconcile() {
      await api.requestReconcile('ClusterStore', 'sample-store');
      await api.requestReconcile('ClusterStack', 'sample-stack');
    },
    startControllers: () => startControllers(parts),
    counts: (codes) => Promise.all(controllers.map(async (one) => countsOf(one.name, await one.metrics(), codes))),
    failedRequestsSeen: () => embedded.proxy.requests.filter((request) => request.action !== undefined).length,
    howToLook: () => howToLook(parts),
    async close() {
      await Promise.all(controllers.map((controller) => controller.stop()));
      await api.close();
      await embedded.close();
    },
  };
}

async function startControllers({ options, embedded, kubeconfig, folder, controllers, table }: Parts): Promise<void> {
  const flags = [
    ...['--plain-http-registry', embedded.proxy.host],
    ...(options.retryMax === undefined ? [] : ['--retry-max', options.retryMax]),
    ...(options.outageFault === 'hang' ? ['--headers-timeout', '2s'] : []),
    ...(options.context === undefined ? [] : ['--context', options.context]),
  ];
  const started = await Promise.all(
    controllerNames.map((name) => startController({ name, kubeconfig, flags, logFile: join(folder, `${name}.log`) })),
  );
  controllers.push(...started);
  for (const one of started) table.say(`${one.name} runs as process ${one.pid}, ${one.address}/metrics`);
}

function howToLook({ kubeconfig, controllers, folder }: Parts): string[] {
  const [first] = controllers;
  return [
    'Look around; Ctrl-C ends everything:',
    `  kubectl --kubeconfig ${kubeconfig} get clusterstores,clusterstacks,builders,clusterbuilders -A`,
    `  kubectl --kubeconfig ${kubeconfig} describe builder sample-builder`,
    `  curl -s ${first?.address ?? ''}/metrics | grep buildkeeper_`,
    `  logs of the controllers: ${folder}`,
  ];
}
