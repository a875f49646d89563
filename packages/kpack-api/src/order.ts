import { type Static } from 'typebox';
import { group, list, optional, text, word } from './fields.ts';
import { unusedReferenceFields } from './object-reference.ts';
import { Type } from 'typebox';

const orderGroupEntrySchema = group(
  {
    id: optional(text('Id of the buildpack.')),
    version: optional(text('Version of the buildpack.')),
    optional: optional(Type.Boolean({ description: 'Whether the group passes without this buildpack.' })),
  },
  'One buildpack of a group.',
);
/** One resolved buildpack of a group. */
export type OrderGroupEntry = Static<typeof orderGroupEntrySchema>;

/** One group of an order in a status or a label. */
export const orderEntrySchema = group(
  { group: optional(list(orderGroupEntrySchema, 'Buildpacks that are tried together, in this order.')) },
  'One group of buildpacks.',
);
/** One group of an order in a status or a label. */
export type OrderEntry = Static<typeof orderEntrySchema>;

const builderOrderRefSchema = group(
  {
    id: optional(text('Id of the buildpack, such as paketo-buildpacks/java.')),
    version: optional(text('Exact version; the highest one of all sources when absent.')),
    optional: optional(Type.Boolean({ description: 'Whether the group passes without this buildpack.' })),
    name: optional(text('Name of the Buildpack or ClusterBuildpack that holds it.')),
    kind: optional(word(['Buildpack', 'ClusterBuildpack'], 'Kind of the object that `name` names.')),
    namespace: optional(text('Not used: a Buildpack is looked up in the namespace of its builder.')),
    image: optional(text('Not supported: list the image in a ClusterStore, a Buildpack or a ClusterBuildpack.')),
    ...unusedReferenceFields,
  },
  'One buildpack of a group, by id, or by the object that holds it.',
  {
    rules: [
      {
        rule: "!has(self.image) || self.image == ''",
        message:
          'image is not supported here: list the image in a ClusterStore, Buildpack or ClusterBuildpack, and name its id',
        fieldPath: '.image',
        reason: 'FieldValueForbidden',
      },
      {
        rule: "(has(self.id) && self.id != '') || (has(self.name) && self.name != '') || has(self.kind) || (has(self.image) && self.image != '')",
        message: 'must have an id, or a kind and a name',
      },
      {
        rule: "!has(self.name) || self.name == '' || has(self.kind)",
        message: 'name needs a kind: Buildpack or ClusterBuildpack',
        fieldPath: '.kind',
        reason: 'FieldValueRequired',
      },
    ],
  },
);
/** One buildpack of a builder's order: by `id` and `version`, or by `kind` and `name` of an object, or both. */
export type BuilderOrderRef = Static<typeof builderOrderRefSchema>;

/** One group of a builder's order. */
export const builderOrderEntrySchema = group(
  {
    group: optional(
      list(builderOrderRefSchema, 'Buildpacks that are tried together, in this order.', { maxItems: 256 }),
    ),
  },
  'One group of buildpacks.',
);
/** One group of a builder's order. */
export type BuilderOrderEntry = Static<typeof builderOrderEntrySchema>;
