import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApiServer, type ApiServer } from '@buildkeeper/embedded-cluster';
import { loadKubeTarget, type KubeObject } from '@buildkeeper/kube-client';
import { createSystemClock, createSystemRandom } from '@buildkeeper/retry-policy';
import { conditionOf } from '../conditions.ts';
import { defineController, type AnyController, type ReconcileContext } from '../controller-definition.ts';
import { readStatus } from '../object-status.ts';
import { waitingOn, type Outcome } from '../outcome.ts';
import { runControllers, type RuntimeOptions } from '../process-runtime.ts';
import { readCommand } from '../settings.ts';
import { createRecordedLog, type RecordedLine } from './recorded-log.ts';
import { testCrds } from './widget-crds.ts';
import { gadgetResource, widgetResource, type Widget } from './widget.ts';

const apiVersion = 'test.buildkeeper.io/v1';
const widgets = `/apis/${apiVersion}/namespaces/default/widgets`;

/** What the widgets of a test come to. */
export type Verdict = (widget: Widget, context: ReconcileContext) => Outcome<object> | Promise<Outcome<object>>;

/** A controller of widgets, each of which needs its gadget, if it names one, and then comes to the verdict. */
export function widgetController(verdict: Verdict): AnyController {
  return defineController({
    name: 'widget',
    resource: widgetResource,
    watches: [
      {
        resource: gadgetResource,
        affects: (changed, candidate: Widget) => candidate.spec.gadget === changed.metadata.name,
      },
    ],
    createDeps: (env) => env.lister(gadgetResource),
    reconcile: async (widget: Widget, gadgets, context): Promise<Outcome<object>> => {
      const { gadget: name } = widget.spec;
      const gadget = name === undefined ? undefined : gadgets.get(name);
      const isReady = conditionOf(readStatus(gadget?.status).conditions, 'Ready')?.status === 'True';
      if (name !== undefined && !isReady) return waitingOn(`Gadget ${name} is not ready`);
      return verdict(widget, context);
    },
  });
}

/** A running process of controllers. */
export interface Running {
  readonly lines: readonly RecordedLine[];
  /** Text of a path of its health server. */
  scrape(path?: string): Promise<string>;
  /** Stops it and waits for its end. */
  stop(): Promise<void>;
}

/** An API server with widgets and gadgets, and processes on it. */
export interface RuntimeRig {
  readonly api: ApiServer;
  /** Starts a process of the controller; by `server` through a proxy. */
  start(definition: AnyController, options?: StartOptions): Running;
  createWidget(name: string, spec?: Widget['spec']): Promise<void>;
  widget(name: string): Promise<KubeObject>;
  patchWidget(name: string, patch: object): Promise<void>;
  /** A gadget with that condition, made or changed. */
  setGadget(name: string, status: object): Promise<void>;
  /** `reason: note` of each Event, oldest first. */
  events(): Promise<readonly string[]>;
  /** How many patches of a status the server has answered. */
  statusPatches(): number;
  /** Stops every process and the server. */
  close(): Promise<void>;
}

/** How a process of a test differs from the usual one. */
export interface StartOptions extends Partial<Pick<RuntimeOptions, 'electionTimes' | 'stopGraceMs' | 'identity'>> {
  readonly argv?: readonly string[];
  /** URL of what stands before the API server. */
  readonly server?: string;
}

/** Delays that a test can wait for; no health port of its own, and nobody to be elected by. */
const quickArguments = ['--http-address=127.0.0.1:0', '--leader-elect=false', '--retry-base=20ms', '--retry-max=100ms'];

/** Starts an API server; nothing runs on it yet. */
export async function startRuntimeRig(): Promise<RuntimeRig> {
  const api = await startApiServer({ crds: testCrds });
  const running: Running[] = [];
  return {
    api,
    start(definition, options = {}) {
      const process = startProcess(definition, api, options);
      running.push(process);
      return process;
    },
    async createWidget(name, spec = {}) {
      await api.apply({ apiVersion, kind: 'Widget', metadata: { name, namespace: 'default' }, spec });
    },
    widget: async (name) => (await api.get(`${widgets}/${name}`)) as unknown as KubeObject,
    async patchWidget(name, patch) {
      await api.patch(`${widgets}/${name}`, patch);
    },
    async setGadget(name, status) {
      await api.apply({ apiVersion, kind: 'Gadget', metadata: { name }, spec: {} });
      await api.patch(`/apis/${apiVersion}/gadgets/${name}/status`, { status });
    },
    async events() {
      const { items } = (await api.get('/apis/events.k8s.io/v1/events')) as unknown as { items: EventLine[] };
      const sorted = items.toSorted((a, b) => (a.eventTime < b.eventTime ? -1 : 1));
      return sorted.map(({ reason, note }) => `${reason}: ${note}`);
    },
    statusPatches: () =>
      api.requests.filter(({ method, path }) => method === 'PATCH' && path.endsWith('/status')).length,
    async close() {
      await Promise.all(running.map((process) => process.stop()));
      await api.close();
    },
  };
}

interface EventLine {
  readonly eventTime: string;
  readonly reason: string;
  readonly note: string;
}

function startProcess(definition: AnyController, api: ApiServer, options: StartOptions): Running {
  const { argv = [], server = api.url, ...others } = options;
  const command = readCommand({ argv: [...quickArguments, ...argv], env: {}, readFile: () => '' });
  if (command.kind !== 'run') throw new Error(JSON.stringify(command));
  const { log, lines } = createRecordedLog();
  const stop = new AbortController();
  const ended = runControllers({
    definitions: [definition],
    settings: command.settings,
    target: targetOf(api.kubeconfig({ server })),
    clock: createSystemClock(),
    random: createSystemRandom(),
    log,
    readFile: () => '',
    identity: 'test',
    build: { version: '0', revision: '', node: '' },
    stop: stop.signal,
    ...others,
  });
  return {
    lines,
    async scrape(path = '/metrics') {
      const address = await eventually(() => lines.find(({ message }) => message === 'listening')?.fields['address']);
      return (await fetch(`${String(address)}${path}`)).text();
    },
    async stop() {
      stop.abort(new Error('The test is over'));
      await ended;
    },
  };
}

function targetOf(kubeconfig: string) {
  const folder = mkdtempSync(join(tmpdir(), 'runtime-rig-'));
  try {
    writeFileSync(join(folder, 'kubeconfig'), kubeconfig);
    return loadKubeTarget({ kubeconfig: join(folder, 'kubeconfig'), env: {} });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Resolves when `probe` gives something other than undefined and false; fails the test after `withinMs`. */
export async function eventually<T>(
  probe: () => T | undefined | false | Promise<T | undefined | false>,
  withinMs = 5000,
): Promise<T> {
  const untilMs = Date.now() + withinMs;
  for (;;) {
    const value = await probe();
    if (value !== undefined && value !== false) return value;
    if (Date.now() > untilMs) throw new Error(`This did not become true within ${withinMs} ms: ${probe.toString()}`);
    await pause(5);
  }
}

/** Real time passes. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** `Type=Status/Reason` of every condition. */
export function conditionsOf(object: KubeObject): readonly string[] {
  return readStatus(object.status).conditions.map(({ type, status, reason = '' }) => `${type}=${status}/${reason}`);
}

/** The `status.retry` of an object. */
export function retryOf(object: KubeObject) {
  return readStatus(object.status).retry;
}

/** The value of the first sample of a scrape whose name and labels are written so; NaN when there is none. */
export function sampleOf(scrape: string, series: string): number {
  const line = scrape.split('\n').find((one) => one.startsWith(`${series} `));
  return line === undefined ? Number.NaN : Number(line.slice(series.length + 1));
}

/** The sum of all samples of that name whose labels contain `part`. */
export function sumOf(scrape: string, name: string, part: string): number {
  const lines = scrape.split('\n').filter((one) => one.startsWith(`${name}{`) && one.includes(part));
  return lines.reduce((sum, one) => sum + Number(one.slice(one.lastIndexOf(' ') + 1)), 0);
}
