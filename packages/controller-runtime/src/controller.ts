import { once } from 'node:events';
import {
  createEventRecorder,
  createLeaseClient,
  createReflector,
  type KubeClient,
  type KubeObject,
  type ObjectStore,
  type Reflector,
  type ResourceType,
  type StoreChange,
} from '@buildkeeper/kube-client';
import type { ControllerObserver } from '@buildkeeper/metrics';
import type { Clock, Random } from '@buildkeeper/retry-policy';
import type { CaBundle } from './ca-bundle.ts';
import type { AnyController, ControllerEnv, WatchDefinition } from './controller-definition.ts';
import { standForElection, undisputedLeadership, type ElectionTimes, type Leadership } from './leader-election.ts';
import { sinkOf, type Logger } from './log.ts';
import { ObjectMemory } from './object-memory.ts';
import { resourceSample } from './resource-sample.ts';
import type { Settings } from './settings.ts';
import { Triggers } from './triggers.ts';
import { runWorker } from './worker.ts';
import { WorkQueue } from './work-queue.ts';

/** What a controller runs in. */
export interface ControllerWorld {
  readonly settings: Settings;
  readonly kube: KubeClient;
  readonly observer: ControllerObserver;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly caBundle: CaBundle;
  /** Namespace of the Lease unless the settings name one. */
  readonly namespace: string;
  /** Unique among all candidates for the Lease. */
  readonly identity: string;
  readonly electionTimes?: ElectionTimes;
  /** Aborts when no further work is to be begun. */
  readonly stop: AbortSignal;
  /** Aborts when the work that was begun is to end as well. */
  readonly abort: AbortSignal;
}

/** A controller that is set up: it knows its caches, and has asked the API server for nothing. */
export interface Controller {
  /** The kinds whose objects are not all known yet. */
  unsyncedKinds(): readonly string[];
  /** Fills the caches, stands for election, works; resolves after `stop`, when all that was begun has ended. */
  run(): Promise<void>;
}

/** Sets a controller up. Throws what the definition throws while making its dependencies. */
export function createController(definition: AnyController, world: ControllerWorld): Controller {
  return new ReflectedController(definition, world);
}

class ReflectedController implements Controller {
  readonly #definition: AnyController;
  readonly #world: ControllerWorld;
  readonly #own: Reflector<KubeObject>;
  readonly #reflectors: ReadonlyMap<string, Reflector<KubeObject>>;
  readonly #dependencies: unknown;
  #term: { readonly triggers: Triggers; readonly queue: WorkQueue } | undefined;

  constructor(definition: AnyController, world: ControllerWorld) {
    this.#definition = definition;
    this.#world = world;
    this.#own = this.#reflect(definition.resource, false, (change) => this.#term?.triggers.ownChanged(change));
    this.#reflectors = new Map([[kindKey(definition.resource), this.#own], ...this.#watched()]);
    for (const { kind } of this.#kinds()) world.observer.kube.watching({ kind });
    this.#dependencies = definition.createDeps(this.#env());
    world.observer.workersStarted(world.settings.workers);
    world.observer.sampleAtScrape(() => this.#sample());
  }

  unsyncedKinds(): readonly string[] {
    return [...this.#reflectors].filter(([, one]) => !one.hasSynced()).map(([kind]) => kind);
  }

  async run(): Promise<void> {
    const { stop, abort, caBundle, settings } = this.#world;
    const end = new AbortController();
    const runs = [...this.#reflectors.values()].map((one) => one.run(end.signal));
    runs.push(caBundle.run(() => this.#term?.triggers.wakeFailedBy('TLSVerificationFailed'), end.signal));
    const stopped = stop.aborted ? Promise.resolve() : once(stop, 'abort');
    await Promise.race([stopped, Promise.all([...this.#reflectors.values()].map((one) => one.synced))]);
    if (!stop.aborted) {
      if (settings.leaderElection.isEnabled) await this.#standForElection();
      else await this.#lead(undisputedLeadership(abort));
    }
    end.abort(new Error('The controller stops'));
    await Promise.all(runs);
  }

  async #standForElection(): Promise<void> {
    const { kube, settings, namespace, identity, clock, random, observer, electionTimes, stop } = this.#world;
    const name = `buildkeeper-${this.#definition.name}`;
    const log = withFields(this.#world.log, { controller: this.#definition.name, lease: name });
    const lease = createLeaseClient(kube, { name, namespace: settings.leaderElection.namespace ?? namespace });
    const times = electionTimes === undefined ? {} : { times: electionTimes };
    const options = { lease, identity, clock, random, observer: observer.leader, log, ...times };
    await standForElection(options, (leadership) => this.#lead(leadership), stop);
  }

  /** One term: everything that is planned or remembered belongs to it, and the next leader reads the status instead. */
  async #lead(leadership: Leadership): Promise<void> {
    const { settings, clock, observer, stop, abort } = this.#world;
    const queue = new WorkQueue({ clock, observer: observer.queue });
    const memory = new ObjectMemory();
    const signal = AbortSignal.any([leadership.signal, abort]);
    const shared = {
      ...this.#world,
      definition: this.#definition,
      resource: this.#definition.resource,
      dependencies: this.#dependencies,
      store: this.#own.store,
      queue,
      memory,
      events: this.#recorder(),
      leadership: { signal, remainingMs: () => leadership.remainingMs() },
    };
    const triggers = new Triggers(shared);
    this.#term = { triggers, queue };
    triggers.planAll();
    const stopTaking = AbortSignal.any([stop, signal]);
    await Promise.all(Array.from({ length: settings.workers }, () => runWorker(shared, stopTaking)));
    this.#term = undefined;
    queue.close();
  }

  #recorder() {
    const { kube: client, clock, identity: instance, log } = this.#world;
    const component = `buildkeeper.io/${this.#definition.name}`;
    return createEventRecorder({ client, clock, component, instance, logger: sinkOf(log, this.#fields) });
  }

  /** The kinds that are watched with these settings, the own one first. */
  #kinds(): readonly ResourceType[] {
    return [this.#definition.resource, ...this.#enabledWatches().map(({ resource }) => resource)];
  }

  #enabledWatches(): readonly WatchDefinition<KubeObject, unknown>[] {
    const all = this.#definition.watches as readonly WatchDefinition<KubeObject, unknown>[];
    return all.filter((watch) => watch.whenEnabled?.(this.#world.settings) ?? true);
  }

  #watched(): readonly (readonly [string, Reflector<KubeObject>])[] {
    return this.#enabledWatches().map((watch) => {
      const onChange = (change: StoreChange<KubeObject>) => this.#term?.triggers.dependencyChanged(watch, change);
      return [kindKey(watch.resource), this.#reflect(watch.resource, watch.metadataOnly === true, onChange)] as const;
    });
  }

  #reflect(resource: ResourceType, metadataOnly: boolean, onChange: (change: StoreChange<KubeObject>) => void) {
    const { kube: client, clock, random, observer, log } = this.#world;
    const logger = sinkOf(log, this.#fields);
    return createReflector<KubeObject>({
      client,
      resource,
      metadataOnly,
      clock,
      random,
      observer: observer.kube,
      logger,
      onChange,
    });
  }

  get #fields() {
    return { controller: this.#definition.name };
  }

  #env(): ControllerEnv {
    const { settings, kube, clock, random, observer, log, stop, caBundle } = this.#world;
    const lister = <T extends KubeObject>(resource: ResourceType) => this.#lister(resource) as ObjectStore<T>;
    return {
      settings,
      kube,
      lister,
      readRegistryCa: () => caBundle.read(),
      clock,
      random,
      observer,
      log,
      signal: stop,
    };
  }

  #lister(resource: ResourceType): ObjectStore<KubeObject> {
    const reflector = this.#reflectors.get(kindKey(resource));
    if (reflector === undefined)
      throw new RangeError(`Controller ${this.#definition.name} does not watch ${resource.plural}`);
    return reflector.store;
  }

  /** A standby counts no objects: the leader does, and a sum over the replicas would count them twice. */
  #sample() {
    const { queue } = this.#term ?? {};
    const resources = queue === undefined ? [] : this.#own.store.list().map(resourceSample);
    return { queueDepth: queue?.depth ?? 0, workAgesMs: queue?.workAgesMs ?? [], resources };
  }
}

function kindKey({ plural, group }: ResourceType): string {
  return group === '' ? plural : `${plural}.${group}`;
}

function withFields(log: Logger, fields: object): Logger {
  return {
    debug: (more, message) => {
      log.debug({ ...fields, ...more }, message);
    },
    info: (more, message) => {
      log.info({ ...fields, ...more }, message);
    },
    warn: (more, message) => {
      log.warn({ ...fields, ...more }, message);
    },
    error: (more, message) => {
      log.error({ ...fields, ...more }, message);
    },
  };
}
