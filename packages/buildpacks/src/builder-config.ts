import { type ImageConfig } from '@buildkeeper/registry-client';
import { layerTimeSeconds } from './ustar.ts';

/** Time of everything in our images: a clock in them would make a new image of the same content. */
const created = new Date(layerTimeSeconds * 1000).toISOString().replace('.000Z', 'Z');

/** A layer that is put on the base. */
export interface AddedLayer {
  readonly diffId: string;
  /** What it holds, for the history. */
  readonly what: string;
}

/**
 * Config of the builder: that of the base with all its keys, also unknown ones; labels, working directory, layers and
 * history are ours. The history has exactly one entry for each layer, and base entries without a layer stay.
 *
 * @see https://github.com/opencontainers/image-spec/blob/main/config.md
 */
export function builderConfig(
  base: ImageConfig,
  labels: Readonly<Record<string, string>>,
  added: readonly AddedLayer[],
): ImageConfig {
  return {
    ...base,
    created,
    config: { ...base.config, WorkingDir: '/layers', Labels: labels },
    rootfs: { ...base.rootfs, type: 'layers', diff_ids: [...base.rootfs.diff_ids, ...added.map((one) => one.diffId)] },
    history: [...baseHistory(base), ...added.map(({ what }) => ({ created, created_by: `buildkeeper: ${what}` }))],
  };
}

/** Readers pair history with layers by counting; a history that doesn't fit the base's own layers is replaced. */
function baseHistory(base: ImageConfig): NonNullable<ImageConfig['history']> {
  const layerCount = base.rootfs.diff_ids.length;
  const history = base.history ?? [];
  const isAligned = history.filter((entry) => entry['empty_layer'] !== true).length === layerCount;
  if (isAligned) return history.map((entry) => ({ ...entry, created }));
  return Array.from({ length: layerCount }, () => ({ created, created_by: 'base image' }));
}
