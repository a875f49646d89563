import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type SampleImages } from '@buildkeeper/embedded-cluster';
import {
  controllerNames,
  isSettled,
  openCluster,
  parseSamples,
  sampleObjects,
  startController,
  sumOf,
  type ClusterApi,
  type ControllerName,
  type ControllerProcess,
  type ObjectState,
} from '@buildkeeper/local-cluster';
import { startBackend, type Backend, type BackendOptions } from './backend.ts';

/** Paces of a test: everything is looked at again within 2 s, nothing is refreshed by itself. */
export const testPace: readonly string[] = [
  ...['--retry-base', '200ms', '--retry-max', '2s', '--tls-retry-base', '200ms', '--tls-retry-max', '2s'],
  ...['--auth-retry-base', '200ms', '--auth-retry-max', '2s'],
  ...['--not-found-retry-base', '200ms', '--not-found-retry-max', '2s'],
  ...['--throttled-retry-base', '200ms', '--throttled-retry-max', '2s', '--invalid-recheck', '2s'],
  ...['--connect-timeout', '1s', '--headers-timeout', '1s', '--body-timeout', '1s', '--refresh-interval', '24h'],
];

/** What a world is made with. */
export interface WorldOptions {
  readonly controllers?: readonly ControllerName[];
  /** Flags for every controller; default {@link testPace}. */
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly backend?: BackendOptions;
  /** Name by which the controllers know the registry, resolved by the DNS preload; default: its address. */
  readonly registryName?: string;
}

/** A cluster with built controllers as processes, and a registry behind a proxy that can fail. */
export interface World {
  readonly cluster: Backend;
  readonly api: ClusterApi;
  /** `host:port` of the registry as the resources name it. */
  readonly registry: string;
  readonly folder: string;
  readonly kubeconfig: string;
  readonly controllers: Map<ControllerName, ControllerProcess>;
  /** Starts a controller, once more if it was stopped. */
  start(name: ControllerName, flags?: readonly string[]): Promise<ControllerProcess>;
  /** Applies the sample resources. */
  applySamples(): Promise<void>;
  /** Waits until a condition on the states holds; throws with the states when it does not within the time. */
  until(what: string, isOver: (states: readonly ObjectState[]) => boolean, timeoutMs: number): Promise<number>;
  untilSettled(timeoutMs: number): Promise<number>;
  state(title: string): Promise<ObjectState>;
  /** A kpack.io object as the API server holds it. */
  object(plural: string, name: string, namespace?: string): Promise<Readonly<Record<string, unknown>>>;
  /** Sum over a metric of a controller. */
  metric(name: ControllerName, metric: string, labels?: Readonly<Record<string, string>>): Promise<number>;
  close(): Promise<void>;
}

/** Makes a world. Every part of it ends with `close()`. */
export async function createWorld(options: WorldOptions = {}): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'buildkeeper-e2e-'));
  const cluster = await startBackend(options.backend ?? {});
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, cluster.api.kubeconfig);
  const api = openCluster(kubeconfig, undefined);
  const controllers = new Map<ControllerName, ControllerProcess>();
  const registry = `${options.registryName ?? '127.0.0.1'}:${cluster.proxy.port}`;
  const env = { ...dnsEnv(options.registryName, folder), ...options.env };
  const start = async (name: ControllerName, flags: readonly string[] = []) => {
    const all = ['--plain-http-registry', registry, ...(options.flags ?? testPace), ...flags];
    const logFile = join(folder, `${name}.log`);
    const started = await startController({ name, kubeconfig, flags: all, logFile, env });
    controllers.set(name, started);
    return started;
  };
  await Promise.all((options.controllers ?? controllerNames).map((name) => start(name)));
  const until: World['until'] = (what, isOver, timeoutMs) => waitUntil(api, what, isOver, timeoutMs);
  return {
    cluster,
    api,
    registry,
    folder,
    kubeconfig,
    controllers,
    start,
    async applySamples() {
      const account = cluster.user === undefined ? undefined : { name: 'default', namespace: 'default' };
      if (cluster.user !== undefined) await applyCredentials(cluster, registry);
      const images = renamed(cluster.samples, cluster.proxy.host, registry);
      for (const object of sampleObjects(images, registry, account)) await api.apply(object);
    },
    until,
    untilSettled: (timeoutMs) =>
      until('everything Ready and UpToDate', (states) => states.length > 0 && states.every(isSettled), timeoutMs),
    async state(title) {
      const found = (await api.look()).find((state) => state.title === title);
      if (found === undefined) throw new Error(`There is no ${title}`);
      return found;
    },
    object(plural, name, namespace) {
      const place = namespace === undefined ? '' : `namespaces/${namespace}/`;
      return cluster.api.get(`/apis/kpack.io/v1alpha2/${place}${plural}/${name}`);
    },
    async metric(name, metric, labels) {
      return sumOf(parseSamples((await controllers.get(name)?.metrics()) ?? ''), metric, labels);
    },
    async close() {
      await Promise.all([...controllers.values()].map((controller) => controller.stop()));
      await api.close();
      await cluster.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function dnsEnv(name: string | undefined, folder: string): Readonly<Record<string, string>> {
  if (name === undefined) return {};
  return {
    NODE_OPTIONS: `--import ${new URL('testing/dns-preload.mjs', import.meta.url).href}`,
    BUILDKEEPER_TEST_DNS_NAME: name,
    BUILDKEEPER_TEST_DNS_FAULT_FILE: join(folder, 'dns-fault'),
  };
}

/** The Secret of the registry's user, listed by the ServiceAccount `default`. */
async function applyCredentials({ api, user }: Backend, registry: string): Promise<void> {
  const auths = { [registry]: { username: user?.username, password: user?.password } };
  const secret = Buffer.from(JSON.stringify({ auths })).toString('base64');
  const metadata = { name: 'registry', namespace: 'default' };
  await api.apply({
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'kubernetes.io/dockerconfigjson',
    metadata,
    data: { '.dockerconfigjson': secret },
  });
  await api.apply({
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'default', namespace: 'default' },
    secrets: [{ name: metadata.name }],
  });
}

function renamed(images: SampleImages, from: string, to: string): SampleImages {
  const rename = (reference: string) => reference.replace(from, to);
  return {
    ...images,
    buildImage: rename(images.buildImage),
    runImage: rename(images.runImage),
    lifecycle: rename(images.lifecycle),
    buildpackages: images.buildpackages.map(rename),
  };
}

async function waitUntil(
  api: ClusterApi,
  what: string,
  isOver: (states: readonly ObjectState[]) => boolean,
  timeoutMs: number,
): Promise<number> {
  const startMs = performance.now();
  for (;;) {
    const states = await api.look();
    if (isOver(states)) return performance.now() - startMs;
    if (performance.now() - startMs > timeoutMs) {
      throw new Error(`Not within ${timeoutMs} ms: ${what}\n${JSON.stringify(states, undefined, 1)}`);
    }
    await delay(50);
  }
}
