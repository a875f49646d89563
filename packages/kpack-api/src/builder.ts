import { type Static } from 'typebox';
import { builderSpecFields } from './builder-spec-fields.ts';
import { type CustomObject } from './custom-object.ts';
import { group, optional, text } from './fields.ts';
import { builderStatusSchema } from './builder-status.ts';

const builderSpecSchema = group(
  {
    ...builderSpecFields,
    serviceAccountName: optional(
      text('ServiceAccount of the same namespace whose Secrets open the registries; `default` when absent.'),
    ),
    serviceAccount: optional(text('Older name of serviceAccountName; used when that is absent or empty.')),
  },
  'The builder image that is wanted.',
);
/** The builder image that is wanted. */
export type BuilderSpec = Static<typeof builderSpecSchema>;
/** What is known of the builder image. */
export type BuilderStatus = Static<typeof builderStatusSchema>;

/** A builder image of one namespace. */
export type Builder = CustomObject<'Builder', BuilderSpec, BuilderStatus>;

/** Schemas of the kind Builder. */
export const builderSchemas = { spec: builderSpecSchema, status: builderStatusSchema };
