import { Type, type Static } from 'typebox';
import { group, int64, list, optional, text } from './fields.ts';
import { orderEntrySchema } from './order.ts';

const distroSchema = group(
  { name: optional(text('Name of the distribution.')), version: optional(text('Version of the distribution.')) },
  'One distribution.',
);

const targetSchema = group(
  {
    os: optional(text('Operating system.')),
    arch: optional(text('Processor architecture.')),
    variant: optional(text('Variant of the architecture.')),
    distros: optional(list(distroSchema, 'Distributions of the operating system.')),
  },
  'One platform.',
);
/** One platform a buildpack runs on, as its layers label says. */
export type BuildpackTarget = Static<typeof targetSchema>;

const stackSupportSchema = group(
  { id: optional(text('Id of the stack.')), mixins: optional(list(Type.String(), 'Mixins it needs.')) },
  'One stack.',
);
/** One stack a buildpack runs on. */
export type BuildpackStack = Static<typeof stackSupportSchema>;

/** One buildpack found in a source image; kpack's shape plus `targets` and `name`. */
const buildpackEntrySchema = group(
  {
    id: text('Id of the buildpack.'),
    version: optional(text('Version of the buildpack.')),
    name: optional(text('Name of the buildpack for people.')),
    homepage: optional(text('Where the buildpack is described.')),
    api: optional(text('Buildpack API it is written for.')),
    buildpackage: optional(
      group(
        {
          id: optional(text('Id of the package.')),
          version: optional(text('Version of the package.')),
          homepage: optional(text('Where the package is described.')),
        },
        'The package it came in.',
      ),
    ),
    storeImage: optional(
      group({ image: optional(text('Reference of the image.')) }, 'The source image that holds the layer.'),
    ),
    diffId: optional(text('Digest of the uncompressed layer.')),
    digest: optional(text('Digest of the layer as it is stored in the registry.')),
    size: optional(int64('Bytes of the layer as it is stored in the registry.')),
    order: optional(list(orderEntrySchema, 'Groups of a buildpack that is made of others.')),
    stacks: optional(list(stackSupportSchema, 'Stacks it runs on.')),
    targets: optional(list(targetSchema, 'Platforms it runs on.')),
  },
  'One buildpack that was found in a source image.',
);
/** One buildpack found in a source image. */
export type BuildpackEntry = Static<typeof buildpackEntrySchema>;

/** Status field of the kinds that offer buildpacks. */
export const buildpacksField = optional(list(buildpackEntrySchema, 'Every buildpack of the readable sources.'));
