import { type Static } from 'typebox';
import { buildpacksField } from './buildpack-entry.ts';
import { type CustomObject } from './custom-object.ts';
import { group, optional } from './fields.ts';
import { imageField } from './images.ts';
import { serviceAccountRefSchema } from './object-reference.ts';
import { commonStatusFields } from './status-common.ts';

const clusterBuildpackSpecSchema = group(
  {
    image: imageField('The image that holds the buildpack, by tag or by digest.'),
    serviceAccountRef: optional(serviceAccountRefSchema),
  },
  'The image whose buildpacks are offered.',
);
/** The image whose buildpacks are offered. */
export type ClusterBuildpackSpec = Static<typeof clusterBuildpackSpecSchema>;

const clusterBuildpackStatusSchema = group(
  { ...commonStatusFields, buildpacks: buildpacksField },
  'What was found in the image.',
);
/** What was found in the image. */
export type ClusterBuildpackStatus = Static<typeof clusterBuildpackStatusSchema>;

/** Buildpacks of one image, for the whole cluster. */
export type ClusterBuildpack = CustomObject<'ClusterBuildpack', ClusterBuildpackSpec, ClusterBuildpackStatus>;

/** Schemas of the kind ClusterBuildpack. */
export const clusterBuildpackSchemas = { spec: clusterBuildpackSpecSchema, status: clusterBuildpackStatusSchema };
