import { Type, type Static, type TSchema } from 'typebox';
import { group, optional, text, word } from './fields.ts';

const unused = () => optional(text('Accepted as part of a Kubernetes object reference, and not used.'));

/** The fields of a core/v1 ObjectReference that nobody reads, but that manifests may carry. */
export const unusedReferenceFields = {
  uid: unused(),
  apiVersion: unused(),
  resourceVersion: unused(),
  fieldPath: unused(),
};

/** Reference from a cluster-wide object to a ServiceAccount, which lives in a namespace. */
export const serviceAccountRefSchema = group(
  {
    name: text('Name of the ServiceAccount.', { minLength: 1 }),
    namespace: text('Namespace of the ServiceAccount.', { minLength: 1 }),
    kind: unused(),
    ...unusedReferenceFields,
  },
  'The ServiceAccount whose Secrets open the registries.',
);
/** Names a ServiceAccount in any namespace. */
export type ServiceAccountRef = Static<typeof serviceAccountRefSchema>;

/** Reference to an object of one cluster-wide kind; `kind` may be left out. */
export const clusterReference = <const Kind extends string, Name extends TSchema>(
  kind: Kind,
  name: Name,
  description: string,
  options: { readonly default?: object } = {},
) =>
  Type.Object(
    {
      name,
      kind: optional(word([kind], `Kind of the object: ${kind}.`, { default: kind })),
      namespace: optional(text(`Accepted and not used: a ${kind} has no namespace.`)),
      ...unusedReferenceFields,
    },
    { description, ...options },
  );
