import type { EventRecorder } from '@buildkeeper/kube-client';
import type { Random } from '@buildkeeper/retry-policy';
import type { AnyController } from './controller-definition.ts';
import type { Logger } from './log.ts';
import type { ObjectMemory } from './object-memory.ts';
import type { Settings } from './settings.ts';
import type { StatusWriterDeps } from './status-writer.ts';
import type { WorkQueue } from './work-queue.ts';

/** What the workers of one term of leadership share. */
export interface WorkerDeps extends StatusWriterDeps {
  readonly definition: AnyController;
  /** What the definition made of its environment. */
  readonly dependencies: unknown;
  readonly queue: WorkQueue;
  readonly memory: ObjectMemory;
  readonly events: EventRecorder;
  readonly settings: Settings;
  readonly random: Random;
  readonly log: Logger;
}
