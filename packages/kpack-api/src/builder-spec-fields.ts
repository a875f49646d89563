import { group, list, optional, text, textMap } from './fields.ts';
import { clusterReference, unusedReferenceFields } from './object-reference.ts';
import { builderOrderEntrySchema } from './order.ts';
import { word } from './fields.ts';

/** Spec fields that Builder and ClusterBuilder share. */
export const builderSpecFields = {
  tag: text('Where the builder image is written: a repository, with or without a tag.', {
    minLength: 1,
    maxLength: 1024,
  }),
  stack: clusterReference(
    'ClusterStack',
    'The ClusterStack with the base image and the run image.',
    text('Name of the ClusterStack.', { minLength: 1 }),
  ),
  store: optional(
    group(
      {
        name: optional(text('Name of the ClusterStore; no store when absent or empty.')),
        kind: optional(word(['ClusterStore'], 'Kind of the object.', { default: 'ClusterStore' })),
        namespace: optional(text('Not used: the object is cluster-wide.')),
        ...unusedReferenceFields,
      },
      'The ClusterStore whose buildpacks the order may name by id.',
    ),
  ),
  lifecycle: optional(
    group(
      {
        name: optional(text('Name of the ClusterLifecycle.', { default: 'default-lifecycle' })),
        kind: optional(word(['ClusterLifecycle'], 'Kind of the object.', { default: 'ClusterLifecycle' })),
        namespace: optional(text('Not used: the object is cluster-wide.')),
        ...unusedReferenceFields,
      },
      'The ClusterLifecycle whose binaries go into the image.',
      { default: { name: 'default-lifecycle', kind: 'ClusterLifecycle' } },
    ),
  ),
  order: optional(
    list(builderOrderEntrySchema, 'Groups of buildpacks; the first group that fits an app builds it.', {
      maxItems: 256,
    }),
  ),
  additionalLabels: optional(textMap('Labels that are added to the builder image.')),
};
