import { type Static } from 'typebox';
import { builderSpecFields } from './builder-spec-fields.ts';
import { builderStatusSchema } from './builder-status.ts';
import { type CustomObject } from './custom-object.ts';
import { group } from './fields.ts';
import { serviceAccountRefSchema } from './object-reference.ts';

const clusterBuilderSpecSchema = group(
  { ...builderSpecFields, serviceAccountRef: serviceAccountRefSchema },
  'The builder image that is wanted.',
);
/** The builder image that is wanted. */
export type ClusterBuilderSpec = Static<typeof clusterBuilderSpecSchema>;
/** What is known of the builder image. */
export type ClusterBuilderStatus = Static<typeof builderStatusSchema>;

/** A builder image for the whole cluster. */
export type ClusterBuilder = CustomObject<'ClusterBuilder', ClusterBuilderSpec, ClusterBuilderStatus>;

/** Schemas of the kind ClusterBuilder. */
export const clusterBuilderSchemas = { spec: clusterBuilderSpecSchema, status: builderStatusSchema };
