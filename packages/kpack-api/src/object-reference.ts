import { type Static } from 'typebox';
import { group, optional, text, word } from './fields.ts';

/** The fields of a core/v1 ObjectReference that are accepted and not used. */
export const unusedReferenceFields = {
  uid: optional(text('Not used.')),
  apiVersion: optional(text('Not used.')),
  resourceVersion: optional(text('Not used.')),
  fieldPath: optional(text('Not used.')),
};

/** Reference to a ServiceAccount in any namespace, for kinds that have no namespace. */
export const serviceAccountRefSchema = group(
  {
    name: text('Name of the ServiceAccount.', { minLength: 1 }),
    namespace: text('Namespace of the ServiceAccount.', { minLength: 1 }),
    kind: optional(text('Not used.')),
    ...unusedReferenceFields,
  },
  'The ServiceAccount whose Secrets open the registries.',
);
/** Reference to a ServiceAccount in any namespace. */
export type ServiceAccountRef = Static<typeof serviceAccountRefSchema>;

/** Reference to an object of one cluster-wide kind. */
export const clusterReference = <const Kind extends string>(
  kind: Kind,
  description: string,
  name: ReturnType<typeof text>,
  options: { readonly default?: object } = {},
) =>
  group(
    {
      name,
      kind: optional(word([kind], 'Kind of the object.', { default: kind })),
      namespace: optional(text('Not used: the object is cluster-wide.')),
      ...unusedReferenceFields,
    },
    description,
    options,
  );
