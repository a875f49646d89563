import { Type, type Static } from 'typebox';
import { group, list, nullable, optional, text } from './fields.ts';
import { resolvedImage } from './images.ts';

const versionsSchema = (name: string) =>
  group(
    {
      deprecated: optional(nullable(list(Type.String(), 'Versions that will be dropped.'))),
      supported: optional(nullable(list(Type.String(), 'Versions that are supported.'))),
    },
    `Versions of the ${name} API.`,
  );

const lifecycleApisSchema = group(
  { buildpack: optional(versionsSchema('Buildpack')), platform: optional(versionsSchema('Platform')) },
  'API versions of the lifecycle.',
);
/** API versions of a lifecycle; kpack stores a list that is absent from the image as null. */
export type LifecycleApis = Static<typeof lifecycleApisSchema>;

/** Status fields of a lifecycle that was read, in a ClusterLifecycle and in a builder. */
export const lifecycleFields = {
  image: optional(resolvedImage('The lifecycle image that was found.')),
  version: optional(text('Version of the lifecycle.')),
  api: optional(
    group(
      { buildpack: optional(text('Buildpack API.')), platform: optional(text('Platform API.')) },
      'The one version of each API that old lifecycles name.',
    ),
  ),
  apis: optional(lifecycleApisSchema),
};
