import { type Static } from 'typebox';
import { buildpacksField } from './buildpack-entry.ts';
import { type CustomObject } from './custom-object.ts';
import { group, optional, text } from './fields.ts';
import { imageField } from './images.ts';
import { commonStatusFields } from './status-common.ts';

const buildpackSpecSchema = group(
  {
    image: imageField('The image that holds the buildpack, by tag or by digest.'),
    serviceAccountName: optional(
      text('ServiceAccount of the same namespace whose Secrets open the registry.', { default: 'default' }),
    ),
  },
  'The image whose buildpacks are offered.',
);
/** The image whose buildpacks are offered. */
export type BuildpackSpec = Static<typeof buildpackSpecSchema>;

const buildpackStatusSchema = group(
  { ...commonStatusFields, buildpacks: buildpacksField },
  'What was found in the image.',
);
/** What was found in the image. */
export type BuildpackStatus = Static<typeof buildpackStatusSchema>;

/** Buildpacks of one image, for one namespace. */
export type Buildpack = CustomObject<'Buildpack', BuildpackSpec, BuildpackStatus>;

/** Schemas of the kind Buildpack. */
export const buildpackSchemas = { spec: buildpackSpecSchema, status: buildpackStatusSchema };
