import { type Static } from 'typebox';
import { type CustomObject } from './custom-object.ts';
import { group, optional } from './fields.ts';
import { imageField } from './images.ts';
import { lifecycleFields } from './lifecycle-apis.ts';
import { serviceAccountRefSchema } from './object-reference.ts';
import { commonStatusFields } from './status-common.ts';

const clusterLifecycleSpecSchema = group(
  {
    image: imageField('The lifecycle image, by tag or by digest.'),
    serviceAccountRef: optional(serviceAccountRefSchema),
  },
  'The lifecycle that is wanted.',
);
/** The lifecycle that is wanted. */
export type ClusterLifecycleSpec = Static<typeof clusterLifecycleSpecSchema>;

const clusterLifecycleStatusSchema = group(
  { ...commonStatusFields, ...lifecycleFields },
  'The lifecycle that was found.',
);
/** The lifecycle that was found. */
export type ClusterLifecycleStatus = Static<typeof clusterLifecycleStatusSchema>;

/** A lifecycle for the whole cluster. */
export type ClusterLifecycle = CustomObject<'ClusterLifecycle', ClusterLifecycleSpec, ClusterLifecycleStatus>;

/** Schemas of the kind ClusterLifecycle. */
export const clusterLifecycleSchemas = { spec: clusterLifecycleSpecSchema, status: clusterLifecycleStatusSchema };
