import { type SpecProblem } from './spec-problem.ts';

/** A reference to a ServiceAccount as it may be stored. */
export interface StoredServiceAccountRef {
  readonly name?: string;
  readonly namespace?: string;
}

/** Problems of a ServiceAccount reference; both of its parts are needed, since the referring kind has no namespace. */
export const checkServiceAccountRef = (ref: StoredServiceAccountRef): readonly SpecProblem[] =>
  (['name', 'namespace'] as const)
    .filter((part) => (ref[part] ?? '') === '')
    .map((part) => ({
      field: `spec.serviceAccountRef.${part}`,
      message: `is missing: give the ${part} of the ServiceAccount whose Secrets open the registries`,
    }));

/**
 * Name of the ServiceAccount that a Builder uses.
 *
 * `serviceAccount` is the older name of the field and counts when the newer one is absent or empty, so that the schema
 * can't give `serviceAccountName` a default without overruling it.
 */
export const builderServiceAccountName = (spec: {
  readonly serviceAccountName?: string;
  readonly serviceAccount?: string;
}): string => [spec.serviceAccountName, spec.serviceAccount].find((name) => (name ?? '') !== '') ?? 'default';
