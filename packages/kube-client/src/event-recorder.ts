import { createHash } from 'node:crypto';
import type { Clock } from '@buildkeeper/retry-policy';
import type { KubeClient } from './kube-client.ts';
import type { KubeObject } from './kube-object.ts';
import type { LogSink } from './log-sink.ts';
import { microTime } from './micro-time.ts';
import type { ResourceType } from './resource-type.ts';

/** Something worth telling about an object, once. */
export interface RecordedEvent {
  readonly type: 'Normal' | 'Warning';
  /** One PascalCase word, at most 128 characters. */
  readonly reason: string;
  /** For a person; cut at 1024 bytes. */
  readonly note: string;
  /** What was done, one PascalCase word, at most 128 characters. */
  readonly action: string;
}

/** Writes events of events.k8s.io/v1, the ones that `kubectl describe` shows. */
export interface EventRecorder {
  /** Never rejects: an event that cannot be written is logged. Cluster-scoped objects have theirs in namespace `default`. */
  record(
    object: KubeObject & { readonly kind: string; readonly apiVersion: string },
    event: RecordedEvent,
    signal: AbortSignal,
  ): Promise<void>;
}

/** What a recorder is made of. */
export interface EventRecorderOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  /** Name of the controller, for instance `buildkeeper.io/builder`. */
  readonly component: string;
  /** Which of its replicas; the component when absent. */
  readonly instance?: string;
  readonly logger?: LogSink;
}

const eventResource: ResourceType = {
  group: 'events.k8s.io',
  version: 'v1',
  plural: 'events',
  kind: 'Event',
  namespaced: true,
};
const maxNoteBytes = 1024;
const maxNameLength = 253;

/** Makes a recorder. */
export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  let recorded = 0;
  return {
    async record(object, event, signal) {
      try {
        recorded += 1;
        await options.client.create(eventResource, eventOf(object, event, options, recorded), signal);
      } catch (error) {
        if (signal.aborted) return;
        const msg = error instanceof Error ? error.message : 'The event cannot be written';
        options.logger?.({ level: 'warn', msg, reason: event.reason });
      }
    },
  };
}

function eventOf(
  object: KubeObject & { readonly kind: string; readonly apiVersion: string },
  event: RecordedEvent,
  { clock, component, instance = component }: EventRecorderOptions,
  serial: number,
) {
  const { name, namespace, uid, resourceVersion } = object.metadata;
  const eventTime = microTime(clock.nowMs());
  // Unique among replicas and restarts, without a random source.
  const unique = createHash('sha256')
    .update(JSON.stringify([uid, event, eventTime, instance, serial]))
    .digest('hex')
    .slice(0, 16);
  const regarding = { apiVersion: object.apiVersion, kind: object.kind, name, uid, resourceVersion };
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: `${name.slice(0, maxNameLength - 17)}.${unique}`, namespace: namespace ?? 'default' },
    eventTime,
    reportingController: component,
    reportingInstance: instance.slice(0, 128),
    type: event.type,
    reason: event.reason,
    action: event.action,
    note: cutBytes(event.note),
    regarding: namespace === undefined ? regarding : { ...regarding, namespace },
  };
}

function cutBytes(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxNoteBytes) return text;
  // Cut inside a character, the last one decodes to a replacement, which is dropped.
  return bytes
    .subarray(0, maxNoteBytes)
    .toString('utf8')
    .replace(/\uFFFD+$/, '');
}
