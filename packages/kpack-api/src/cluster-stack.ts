import { Type, type Static } from 'typebox';
import { type CustomObject } from './custom-object.ts';
import { group, int64, list, optional, text } from './fields.ts';
import { imageSource, resolvedImage } from './images.ts';
import { serviceAccountRefSchema } from './object-reference.ts';
import { commonStatusFields } from './status-common.ts';

const clusterStackSpecSchema = group(
  {
    id: text('Id of the stack; the images that carry a stack label must carry this one.', { minLength: 1 }),
    buildImage: imageSource('The image that builds run on.'),
    runImage: imageSource('The image that apps run on.'),
    serviceAccountRef: optional(serviceAccountRefSchema),
  },
  'The base images that are wanted.',
);
/** The base images that are wanted. */
export type ClusterStackSpec = Static<typeof clusterStackSpecSchema>;

const clusterStackStatusSchema = group(
  {
    ...commonStatusFields,
    id: optional(text('Id of the stack.')),
    buildImage: optional(resolvedImage('The build image that was found.')),
    runImage: optional(resolvedImage('The run image that was found.')),
    mixins: optional(list(Type.String(), 'Mixins that the images carry.')),
    userId: optional(int64('User that builds run as.')),
    groupId: optional(int64('Group that builds run as.')),
  },
  'The base images that were found.',
);
/** The base images that were found. */
export type ClusterStackStatus = Static<typeof clusterStackStatusSchema>;

/** Base images for the whole cluster. */
export type ClusterStack = CustomObject<'ClusterStack', ClusterStackSpec, ClusterStackStatus>;

/** Schemas of the kind ClusterStack. */
export const clusterStackSchemas = { spec: clusterStackSpecSchema, status: clusterStackStatusSchema };
