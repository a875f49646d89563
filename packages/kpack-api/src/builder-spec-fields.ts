import { list, optional, text, textMap } from './fields.ts';
import { tagField } from './images.ts';
import { clusterReference } from './object-reference.ts';
import { builderOrderEntrySchema } from './order.ts';

const stack = clusterReference(
  'ClusterStack',
  text('Name of the ClusterStack.', { minLength: 1 }),
  'The ClusterStack that gives the base image and the run image.',
);

const store = clusterReference(
  'ClusterStore',
  optional(text('Name of the ClusterStore; no store is used when it is absent or empty.')),
  'The ClusterStore whose buildpacks the order may name by id. Buildpack and ClusterBuildpack objects are searched first.',
);

const lifecycle = clusterReference(
  'ClusterLifecycle',
  optional(text('Name of the ClusterLifecycle.', { default: 'default-lifecycle' })),
  'The ClusterLifecycle whose programs go into the image.',
  { default: { name: 'default-lifecycle', kind: 'ClusterLifecycle' } },
);

/** Spec fields that Builder and ClusterBuilder share. */
export const builderSpecFields = {
  tag: tagField('Where the builder image is written: a repository, with or without a tag, and no digest.'),
  stack,
  store: optional(store),
  lifecycle: optional(lifecycle),
  order: optional(
    list(
      builderOrderEntrySchema,
      'Groups of buildpacks. An app is built by the first group whose buildpacks all accept it; a builder needs at least one group.',
      { maxItems: 256 },
    ),
  ),
  additionalLabels: optional(textMap('Labels that are added to the config of the builder image.')),
};
