import { type ApiObject, type JsonRecord } from './json-value.ts';
import { type ObjectStorage, type StorageEvent } from './object-storage.ts';
import { type ServedResource } from './served-resource.ts';
import { type Representation } from './representations.ts';
import { type Selector } from './selectors.ts';
import { type WatchSink } from './api-request.ts';
import { expired } from './statuses.ts';

/** What one watch is about. */
export interface WatchTarget {
  readonly storage: ObjectStorage;
  readonly resource: ServedResource;
  readonly namespace: string | undefined;
  readonly selects: Selector;
  readonly representation: Representation;
}

/** How one watch goes on. */
export interface WatchOptions {
  /** Where it resumes, in silence until that is reached; undefined begins with every object that exists. */
  readonly resourceVersion: number | undefined;
  /** Whether the end of the initial events is marked by a bookmark. */
  readonly marksInitialEnd: boolean;
  readonly bookmarkIntervalMs: number | undefined;
  /** When it ends by itself. */
  readonly timeoutMs: number | undefined;
}

/** Begins a watch that writes events to the sink until it is stopped, or its time is up. Returns what stops it. */
export function startWatch(target: WatchTarget, options: WatchOptions, sink: WatchSink): () => void {
  const { storage, resource } = target;
  const stream = createEventWriter(target, sink, options.resourceVersion ?? 0);
  const missed =
    options.resourceVersion === undefined ? [] : storage.eventsAfter(resource.collection, options.resourceVersion);
  if (!missed) {
    const gone = expired(`too old resource version: ${options.resourceVersion ?? 0} (${storage.resourceVersion})`);
    stream.write('ERROR', gone.toStatus());
    sink.end();
    return () => undefined;
  }
  if (options.resourceVersion === undefined) stream.writeInitial();
  if (options.marksInitialEnd) stream.writeBookmark({ annotations: { 'k8s.io/initial-events-end': 'true' } });
  for (const event of missed) stream.writeEvent(event);
  return keepWatching(target, options, { stream, sink });
}

interface EventWriter {
  write(type: string, object: JsonRecord): void;
  writeInitial(): void;
  writeEvent(event: StorageEvent): void;
  writeBookmark(extra?: JsonRecord): void;
}

function keepWatching(
  target: WatchTarget,
  options: WatchOptions,
  to: { stream: EventWriter; sink: WatchSink },
): () => void {
  const { bookmarkIntervalMs, timeoutMs } = options;
  const { stream, sink } = to;
  const unsubscribe = target.storage.subscribe(target.resource.collection, (event) => {
    stream.writeEvent(event);
  });
  const bookmarks =
    bookmarkIntervalMs &&
    setInterval(() => {
      stream.writeBookmark();
    }, bookmarkIntervalMs);
  const timeout = timeoutMs && setTimeout(endInTime, timeoutMs);
  function stop(): void {
    unsubscribe();
    if (bookmarks) clearInterval(bookmarks);
    if (timeout) clearTimeout(timeout);
  }
  function endInTime(): void {
    // The last bookmark lets a quiet watch resume from where everything else has gone on to.
    if (bookmarks) stream.writeBookmark();
    stop();
    sink.end();
  }
  return stop;
}

function createEventWriter(target: WatchTarget, sink: WatchSink, resumedFrom: number): EventWriter {
  const { storage, resource, namespace, selects, representation } = target;
  let isFirst = true;
  const isWatched = (object: ApiObject | undefined): boolean =>
    object !== undefined && (!namespace || object.metadata.namespace === namespace) && selects(object);
  const write = (type: string, object: JsonRecord): void => {
    sink.write(JSON.stringify({ type, object }));
  };
  const writeObject = (type: string, object: ApiObject): void => {
    write(type, representation.one(object, isFirst));
    isFirst = false;
  };
  return {
    write,
    writeInitial() {
      for (const object of storage.list(resource.collection, namespace).filter(isWatched)) writeObject('ADDED', object);
    },
    writeEvent(event) {
      if (event.resourceVersion <= resumedFrom) return;
      const seen = eventSeen(event, isWatched);
      if (seen) writeObject(...seen);
    },
    writeBookmark(extra = {}) {
      if (storage.resourceVersion < resumedFrom) return;
      write('BOOKMARK', representation.bookmark({ resourceVersion: String(storage.resourceVersion), ...extra }));
    },
  };
}

/** The event as a watcher sees it: an object that comes into its selection is new to it, one that leaves is gone. */
function eventSeen(
  { type, object, previous }: StorageEvent,
  isWatched: (object: ApiObject | undefined) => boolean,
): [type: string, object: ApiObject] | undefined {
  const was = previous !== undefined && isWatched(previous);
  const is = type !== 'DELETED' && isWatched(object);
  if (is) return [was ? 'MODIFIED' : 'ADDED', object];
  if (!was) return undefined;
  // What is gone is shown as it was last selected, under the version of the change.
  const { resourceVersion = '' } = object.metadata;
  return ['DELETED', { ...previous, metadata: { ...previous.metadata, resourceVersion } }];
}
