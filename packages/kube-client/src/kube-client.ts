import type { KubeObject, NewObject } from './kube-object.ts';
import type { ObjectName, ResourceType } from './resource-type.ts';
import type { WatchEvent } from './watch-event.ts';

/** Which objects of a kind are listed and watched, and how much of each. */
export interface Selection {
  /** Every namespace when absent. */
  readonly namespace?: string;
  /** Only `metadata` crosses the wire: data of Secrets is never held. */
  readonly metadataOnly?: boolean;
}

/** One page of a list. Items of built-in kinds carry no `kind` of their own. */
export interface ObjectPage<T extends KubeObject> {
  readonly items: readonly T[];
  /** Where a watch that follows this list begins. */
  readonly resourceVersion: string;
  /** Asks for the next page; absent on the last one. */
  readonly continueToken?: string;
}

/** Which page is asked for. */
export interface PageOptions extends Selection {
  /** Most objects in it. */
  readonly limit: number;
  /** From the page before; the first one is meant without it. */
  readonly continueToken?: string;
}

/** Where a watch begins and when it ends by itself. */
export interface WatchOptions extends Selection {
  readonly resourceVersion: string;
  /** Asked of the server, in seconds. */
  readonly timeoutSeconds: number;
  /** Longest time without a byte, bookmarks counted, before the connection passes for dead. */
  readonly silenceMs: number;
}

/** Typed calls to one API server. Every method throws a KubeError, of class `aborted` once the signal has aborted. */
export interface KubeClient {
  /** One object as it is now. A missing one is class notFound. */
  get<T extends KubeObject>(type: ResourceType, name: ObjectName, signal: AbortSignal): Promise<T>;
  /** A new object. An existing one is class conflict. Never repeated in place. */
  create<T extends KubeObject>(type: ResourceType, object: NewObject<T>, signal: AbortSignal): Promise<T>;
  /** Overwrites the whole object, if its resourceVersion is still the one given. For Leases only: it erases unknown fields. */
  replace<T extends KubeObject>(type: ResourceType, object: T, signal: AbortSignal): Promise<T>;
  /** JSON merge patch of everything but the status. Controllers of this project have no use for it; tools do. */
  patch<T extends KubeObject>(type: ResourceType, name: ObjectName, patch: object, signal: AbortSignal): Promise<T>;
  /** JSON merge patch of `/status`. With `metadata.resourceVersion` in it, a change in between is class conflict. */
  patchStatus<T extends KubeObject>(
    type: ResourceType,
    name: ObjectName,
    patch: object,
    signal: AbortSignal,
  ): Promise<T>;
  /** One page of at most `limit` objects. A continue token that is too old is a KubeError with httpStatus 410. */
  listPage<T extends KubeObject>(type: ResourceType, options: PageOptions, signal: AbortSignal): Promise<ObjectPage<T>>;
  /** Changes as they happen. Returns when the server ends the stream; a resourceVersion that is too old is 410. */
  watch<T extends KubeObject>(
    type: ResourceType,
    options: WatchOptions,
    signal: AbortSignal,
  ): AsyncGenerator<WatchEvent<T>, void>;
  /** Cuts every connection; calls and watches that run fail. */
  close(): Promise<void>;
}
