import { type RegistryClient } from '@buildkeeper/registry-client';
import { type Clock } from '@buildkeeper/retry-policy';
import { readLifecycle, type ResolvedLifecycle } from './read-lifecycle.ts';
import { createSharedReader, type SharedReader } from './shared-reader.ts';

/** Reads lifecycle images for a whole process: a thousand builders with one lifecycle cost one read for each refresh interval. */
export function createLifecycleReader(options: {
  readonly registry: RegistryClient;
  readonly clock: Clock;
  readonly refreshIntervalMs: number;
}): SharedReader<ResolvedLifecycle> {
  const { registry, clock, refreshIntervalMs } = options;
  return createSharedReader({
    readNow: (image, keychain, signal, previous) => readLifecycle({ image }, { registry }, keychain, signal, previous),
    clock,
    refreshIntervalMs,
  });
}
