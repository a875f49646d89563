import { type Static } from 'typebox';
import { buildpacksField } from './buildpack-entry.ts';
import { type CustomObject } from './custom-object.ts';
import { group, list, optional } from './fields.ts';
import { imageSource } from './images.ts';
import { serviceAccountRefSchema } from './object-reference.ts';
import { commonStatusFields } from './status-common.ts';

const clusterStoreSpecSchema = group(
  {
    sources: list(
      imageSource('One image that holds buildpacks.'),
      'Images that hold buildpacks: packages or builders.',
      {
        minItems: 1,
        maxItems: 512,
      },
    ),
    serviceAccountRef: optional(serviceAccountRefSchema),
  },
  'The images whose buildpacks are offered.',
);
/** The images whose buildpacks are offered. */
export type ClusterStoreSpec = Static<typeof clusterStoreSpecSchema>;

const clusterStoreStatusSchema = group(
  { ...commonStatusFields, buildpacks: buildpacksField },
  'What was found in the images.',
);
/** What was found in the images. */
export type ClusterStoreStatus = Static<typeof clusterStoreStatusSchema>;

/** Buildpacks for the whole cluster. */
export type ClusterStore = CustomObject<'ClusterStore', ClusterStoreSpec, ClusterStoreStatus>;

/** Schemas of the kind ClusterStore. */
export const clusterStoreSchemas = { spec: clusterStoreSpecSchema, status: clusterStoreStatusSchema };
