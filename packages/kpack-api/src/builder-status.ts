import { type Static } from 'typebox';
import { group, int64, list, optional, text } from './fields.ts';
import { lifecycleFields } from './lifecycle-apis.ts';
import { orderEntrySchema } from './order.ts';
import { commonStatusFields } from './status-common.ts';

const builderMetadataEntrySchema = group(
  {
    id: text('Id of the buildpack.'),
    version: optional(text('Version of the buildpack.')),
    homepage: optional(text('Where the buildpack is described.')),
  },
  'One buildpack of the image.',
);
/** One buildpack in a builder image. */
export type BuilderMetadataEntry = Static<typeof builderMetadataEntrySchema>;

const signaturePathSchema = group(
  {
    signingSecret: text('The Secret whose key made the signature.'),
    targetDigest: text('Where the signature was written.'),
  },
  'One signature of the image.',
);

/** Status of Builder and ClusterBuilder. */
export const builderStatusSchema = group(
  {
    ...commonStatusFields,
    latestImage: optional(text('The builder image that was written last, with tag and digest.')),
    builderMetadata: optional(
      list(builderMetadataEntrySchema, 'Every buildpack in the image, in the order of layers.'),
    ),
    order: optional(list(orderEntrySchema, 'The order of the spec with the versions that were found.')),
    stack: optional(
      group(
        {
          id: optional(text('Id of the stack.')),
          runImage: optional(text('The copy of the run image beside the builder, with its digest.')),
        },
        'The stack that the image is made on.',
      ),
    ),
    lifecycle: optional(group(lifecycleFields, 'The lifecycle in the image.')),
    observedStackGeneration: optional(int64('Generation of the ClusterStack that was used.')),
    observedStoreGeneration: optional(int64('Generation of the ClusterStore that was used; 0 without one.')),
    os: optional(text('Operating system of the image.')),
    inputsDigest: optional(text('Digest of everything the image is made of; equal means nothing is to be done.')),
    signaturePaths: optional(list(signaturePathSchema, 'Signatures of the image.')),
  },
  'What is known of the builder image.',
);
