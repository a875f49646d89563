import { setTimeout as delay } from 'node:timers/promises';
import { createSystemClock } from '@buildkeeper/retry-policy';
import type { KubeClient } from '../kube-client.ts';
import type { LogEvent } from '../log-sink.ts';
import type { StoreChange } from '../object-store.ts';
import { createKubeClient, type KubeClientOptions } from '../pooled-kube-client.ts';
import { createReflector, type Reflector, type ReflectorOptions } from '../reflector.ts';
import { openTarget, ScriptServer, type Widget, widgetResource } from './script-server.ts';

/** A mirror of the server, its story, and the means to end it. */
export interface Rig {
  readonly server: ScriptServer;
  readonly client: KubeClient;
  readonly reflector: Reflector<Widget>;
  /** Every change that was delivered, as `added one=1`. */
  readonly story: string[];
  /** What does not fit: an addition of what was there, a change or deletion of what was not. Must stay empty. */
  readonly contradictions: string[];
  readonly logs: LogEvent[];
  readonly stop: AbortController;
  readonly ended: Promise<void>;
  /** The store equals what the server holds, or becomes so within five seconds. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/** What a test wants otherwise. */
export interface RigOptions {
  readonly client?: Partial<KubeClientOptions>;
  readonly reflector?: Partial<ReflectorOptions<Widget>>;
  /** Called with each change when it is written down. */
  readonly onChange?: (change: StoreChange<Widget>, rig: Rig) => void;
  /** Called when the server listens, before the reflector runs. */
  readonly prepare?: (server: ScriptServer) => void;
}

/** Times short enough for tests: the first back-off takes 5 to 10 ms. */
export const quickTiming = {
  pace: { baseDelayMs: 10, factor: 2, maxDelayMs: 200 },
  cleanEndMaxDelayMs: 80,
  steadyAfterMs: 200,
  watchSeconds: { min: 300, max: 600 },
  silenceMs: 5000,
  pageSize: 3,
};

/** A client at that address that repeats nothing by itself. */
export function quickClient(url: string, options: Partial<KubeClientOptions> = {}): KubeClient {
  return createKubeClient({
    target: openTarget(url),
    clock: createSystemClock(),
    random: Math.random,
    requestAttempts: 1,
    ...options,
  });
}

/** Starts a server and a reflector on it. `close` when the test is over. */
export async function startRig(options: RigOptions = {}): Promise<Rig> {
  const server = await new ScriptServer().start();
  options.prepare?.(server);
  const client = quickClient(server.url, options.client);
  const story: string[] = [];
  const contradictions: string[] = [];
  const told = new Map<string, string>();
  const logs: LogEvent[] = [];
  const stop = new AbortController();
  const reflector: Reflector<Widget> = createReflector<Widget>({
    client,
    resource: widgetResource,
    clock: createSystemClock(),
    random: Math.random,
    logger: (event) => logs.push(event),
    timing: quickTiming,
    onChange: (change) => {
      const line = `${change.type} ${change.object.metadata.name}=${change.object.spec.size}`;
      if (!fits(change, told)) contradictions.push(line);
      story.push(line);
      options.onChange?.(change, rig);
    },
    ...options.reflector,
  });
  const rig: Rig = {
    server,
    client,
    reflector,
    story,
    contradictions,
    logs,
    stop,
    ended: Promise.resolve().then(() => reflector.run(stop.signal)),
    settled: () => until(() => isEqual(server, reflector)),
    async close() {
      stop.abort(new Error('The test is over'));
      await rig.ended;
      await client.close();
      await server.close();
    },
  };
  return rig;
}

/** Whether the change follows from what was told before; then it counts as told. */
function fits({ type, object }: StoreChange<Widget>, told: Map<string, string>): boolean {
  const { name, uid } = object.metadata;
  const before = told.get(name);
  if (type === 'deleted') told.delete(name);
  else told.set(name, uid);
  return type === 'added' ? before === undefined : before === uid;
}

/** Waits until the condition holds; fails after five seconds. */
export async function until(condition: () => boolean, limitMs = 5000): Promise<void> {
  const endMs = performance.now() + limitMs;
  while (!condition()) {
    if (performance.now() > endMs) throw new Error(`Not so within ${limitMs} ms: ${condition.toString()}`);
    await delay(2);
  }
}

function isEqual(server: ScriptServer, { store }: Reflector<Widget>): boolean {
  const is = store.list().map((object) => `${object.metadata.name}@${object.metadata.resourceVersion}`);
  const should = [...server.objects.values()].map((one) => `${one.metadata.name}@${one.metadata.resourceVersion}`);
  return is.length === should.length && is.sort().join() === should.sort().join();
}
