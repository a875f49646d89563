import { type Clock, defaultRequestPace, type Pace, type Random } from '@buildkeeper/retry-policy';
import { KubeCalls } from './kube-calls.ts';
import type { KubeClient, ObjectPage, PageOptions, WatchOptions } from './kube-client.ts';
import { type KubeObject, type NewObject, objectKey } from './kube-object.ts';
import type { KubeTarget } from './kube-target.ts';
import type { KubeObserver } from './observer.ts';
import { apiVersionOf, collectionPath, type ObjectName, objectPath, type ResourceType } from './resource-type.ts';
import { type KubeRequest, KubeTransport } from './transport.ts';
import { openWatch } from './watch-stream.ts';

/** Limits of one call, in milliseconds. */
export interface KubeTimeouts {
  /** 5 s. */
  readonly connectMs: number;
  /** Until the head of an answer, 30 s. */
  readonly headersMs: number;
  /** Longest silence inside a body, 30 s; not for watches. */
  readonly bodyMs: number;
  /** A whole call with its wait for a connection, for each attempt, 60 s; not for watches. */
  readonly totalMs: number;
}

/** What a client is made of. */
export interface KubeClientOptions {
  readonly target: KubeTarget;
  readonly clock: Clock;
  readonly random: Random;
  readonly observer?: KubeObserver;
  readonly userAgent?: string;
  readonly timeouts?: Partial<KubeTimeouts>;
  /** Attempts of one idempotent request, 3. */
  readonly requestAttempts?: number;
  readonly requestPace?: Pace;
}

/** Makes a client with connections of its own. It opens none before the first call. */
export function createKubeClient(options: KubeClientOptions): KubeClient {
  return new PooledKubeClient(options);
}

const defaultTimeouts: KubeTimeouts = { connectMs: 5000, headersMs: 30_000, bodyMs: 30_000, totalMs: 60_000 };
const json = 'application/json';

class PooledKubeClient implements KubeClient {
  readonly #clock: Clock;
  readonly #transport: KubeTransport;
  readonly #calls: KubeCalls;

  constructor(options: KubeClientOptions) {
    const { target, clock, random, userAgent = 'buildkeeper' } = options;
    const limits = { ...defaultTimeouts, ...options.timeouts };
    const observer = options.observer === undefined ? {} : { observer: options.observer };
    this.#clock = clock;
    this.#transport = new KubeTransport({ target, clock, ...observer, userAgent, limits });
    this.#calls = new KubeCalls({
      transport: this.#transport,
      clock,
      random,
      ...observer,
      totalMs: limits.totalMs,
      maxAttempts: options.requestAttempts ?? 3,
      pace: options.requestPace ?? defaultRequestPace,
    });
  }

  get<T extends KubeObject>(type: ResourceType, name: ObjectName, signal: AbortSignal): Promise<T> {
    const action = `get ${nameText(type, name)}`;
    return this.#calls.call({ action, verb: 'get', path: objectPath(type, name) }, signal) as Promise<T>;
  }

  create<T extends KubeObject>(type: ResourceType, object: NewObject<T>, signal: AbortSignal): Promise<T> {
    const action = `create ${nameText(type, object.metadata)}`;
    const path = collectionPath(type, object.metadata.namespace);
    return this.#calls.call(
      { action, verb: 'create', path, body: { contentType: json, json: object } },
      signal,
    ) as Promise<T>;
  }

  replace<T extends KubeObject>(type: ResourceType, object: T, signal: AbortSignal): Promise<T> {
    const action = `replace ${nameText(type, object.metadata)}`;
    const path = objectPath(type, object.metadata);
    return this.#calls.call(
      { action, verb: 'update', path, body: { contentType: json, json: object } },
      signal,
    ) as Promise<T>;
  }

  patchStatus<T extends KubeObject>(type: ResourceType, name: ObjectName, patch: object, signal: AbortSignal) {
    const action = `patch the status of ${nameText(type, name)}`;
    const body = { contentType: 'application/merge-patch+json', json: patch };
    return this.#calls.call(
      { action, verb: 'patch', path: objectPath(type, name, 'status'), body },
      signal,
    ) as Promise<T>;
  }

  patch<T extends KubeObject>(type: ResourceType, name: ObjectName, patch: object, signal: AbortSignal) {
    const action = `patch ${nameText(type, name)}`;
    const body = { contentType: 'application/merge-patch+json', json: patch };
    return this.#calls.call({ action, verb: 'patch', path: objectPath(type, name), body }, signal) as Promise<T>;
  }

  async listPage<T extends KubeObject>(
    type: ResourceType,
    options: PageOptions,
    signal: AbortSignal,
  ): Promise<ObjectPage<T>> {
    const request: KubeRequest = {
      action: `list ${typeText(type)}`,
      verb: 'list',
      path: collectionPath(type, options.namespace),
      query: {
        limit: `${options.limit}`,
        ...(options.continueToken === undefined ? {} : { continue: options.continueToken }),
      },
      accept: options.metadataOnly ? metadataOf('PartialObjectMetadataList') : json,
    };
    const list = (await this.#calls.call(request, signal)) as RawList<T> | null;
    const { resourceVersion, continue: continueToken } = list?.metadata ?? {};
    // Go writes an empty list as null now and then.
    const items = list?.items === null ? [] : list?.items;
    if (resourceVersion === undefined || !Array.isArray(items)) {
      throw this.#transport.failure(request, { kind: 'malformed', detail: 'not a list' });
    }
    return { items, resourceVersion, ...(continueToken ? { continueToken } : {}) };
  }

  watch<T extends KubeObject>(type: ResourceType, options: WatchOptions, signal: AbortSignal) {
    const request: KubeRequest = {
      action: `watch ${typeText(type)}`,
      verb: 'watch',
      path: collectionPath(type, options.namespace),
      query: {
        watch: 'true',
        allowWatchBookmarks: 'true',
        resourceVersion: options.resourceVersion,
        timeoutSeconds: `${options.timeoutSeconds}`,
      },
      accept: options.metadataOnly ? metadataOf('PartialObjectMetadata') : json,
    };
    const deps = { transport: this.#transport, clock: this.#clock };
    return openWatch<T>(request, options, deps, signal);
  }

  close(): Promise<void> {
    return this.#transport.close();
  }
}

interface RawList<T> {
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
  readonly items?: readonly T[] | null;
}

function metadataOf(kind: string): string {
  return `application/json;as=${kind};g=meta.k8s.io;v=v1`;
}

function typeText(type: ResourceType): string {
  return `${apiVersionOf(type)} ${type.plural}`;
}

function nameText(type: ResourceType, name: ObjectName): string {
  return `${typeText(type)} ${objectKey(name)}`;
}
