import { Type, type Static } from 'typebox';
import { type CelRule, group, list, optional, text, word } from './fields.ts';
import { unusedReferenceFields } from './object-reference.ts';

const mayFail = optional(Type.Boolean({ description: 'Whether the group goes on when this buildpack does not fit.' }));
const together = 'Buildpacks that build an app together, in this sequence.';

const orderGroupEntrySchema = group(
  {
    id: text('Id of the buildpack.'),
    version: optional(text('Version of the buildpack.')),
    optional: mayFail,
  },
  'One buildpack of the group.',
);
/** One resolved buildpack of a group. */
export type OrderGroupEntry = Static<typeof orderGroupEntrySchema>;

/** One group of an order with what was found. */
export const orderEntrySchema = group(
  { group: optional(list(orderGroupEntrySchema, together)) },
  'One group of buildpacks.',
);
/** One group of the order in a status or a label. */
export type OrderEntry = Static<typeof orderEntrySchema>;

const refRules: readonly CelRule[] = [
  {
    rule: "!has(self.image) || self.image == ''",
    message: 'is not supported: list the image in a ClusterStore, Buildpack or ClusterBuildpack, and name the id here',
    fieldPath: '.image',
    reason: 'FieldValueForbidden',
  },
  {
    rule: "has(self.kind) || (has(self.id) && self.id != '') || (has(self.name) && self.name != '') || (has(self.image) && self.image != '')",
    message: 'must name a buildpack: by id, or by the kind and name of the object that holds it',
    reason: 'FieldValueRequired',
  },
  {
    rule: "has(self.kind) || !has(self.name) || self.name == ''",
    message: 'must be Buildpack or ClusterBuildpack when a name is given',
    fieldPath: '.kind',
    reason: 'FieldValueRequired',
  },
];

const builderOrderRefSchema = group(
  {
    id: optional(text('Id of the buildpack, such as paketo-buildpacks/java.', { maxLength: 1024 })),
    version: optional(text('Version of the buildpack, letter for letter; the highest that is found when absent.')),
    optional: mayFail,
    kind: optional(
      word(['Buildpack', 'ClusterBuildpack'], 'Kind of the object that holds the buildpack; needs a name.'),
    ),
    name: optional(
      text('Name of the object that holds the buildpack. Without an id, its main buildpack is taken.', {
        maxLength: 1024,
      }),
    ),
    namespace: optional(text('Accepted and not used: a Buildpack is looked up in the namespace of its builder.')),
    image: optional(text('Not supported. A value is refused.', { maxLength: 1024 })),
    ...unusedReferenceFields,
  },
  'One buildpack of the group: by id, or by the object that holds it, or by both.',
  { rules: refRules },
);
/** One buildpack of a builder's order: by `id` and `version`, or by `kind` and `name` of an object, or both. */
export type BuilderOrderRef = Static<typeof builderOrderRefSchema>;

/** One group of a builder's order. */
export const builderOrderEntrySchema = group(
  { group: optional(list(builderOrderRefSchema, together, { maxItems: 256 })) },
  'One group of buildpacks.',
);
/** One group of a builder's order. */
export type BuilderOrderEntry = Static<typeof builderOrderEntrySchema>;
