import { checkOrder, type StoredOrder } from './check-order.ts';
import { checkServiceAccountRef, type StoredServiceAccountRef } from './check-service-account.ts';
import { checkTag } from './image-reference.ts';
import { type SpecProblem } from './spec-problem.ts';

interface StoredReference {
  readonly kind?: string;
  readonly name?: string;
}

/** What the spec of a builder may hold where another schema than ours, or none, has checked it. */
export interface StoredBuilderSpec {
  readonly tag?: string;
  readonly stack?: StoredReference;
  readonly store?: StoredReference;
  readonly lifecycle?: StoredReference;
  readonly order?: StoredOrder;
}

const checkKind = (field: string, reference: StoredReference | undefined, kind: string): readonly SpecProblem[] => {
  const given = reference?.kind ?? '';
  return given === '' || given === kind
    ? []
    : [{ field: `spec.${field}.kind`, message: `is "${given}", and must be ${kind}` }];
};

const checkStackName = (stack: StoredReference | undefined): readonly SpecProblem[] =>
  (stack?.name ?? '') === '' ? [{ field: 'spec.stack.name', message: 'is missing: name a ClusterStack' }] : [];

const checkShared = (spec: StoredBuilderSpec, isNamespaced: boolean): readonly SpecProblem[] => [
  ...checkTag('spec.tag', spec.tag),
  ...checkStackName(spec.stack),
  ...checkKind('stack', spec.stack, 'ClusterStack'),
  ...checkKind('store', spec.store, 'ClusterStore'),
  ...checkKind('lifecycle', spec.lifecycle, 'ClusterLifecycle'),
  ...checkOrder(spec.order, isNamespaced),
];

/** What of a Builder's spec can't work, whatever the registries answer; empty when it may. */
export const checkBuilderSpec = (spec: StoredBuilderSpec): readonly SpecProblem[] => checkShared(spec, true);

/** What of a ClusterBuilder's spec can't work, whatever the registries answer; empty when it may. */
export const checkClusterBuilderSpec = (
  spec: StoredBuilderSpec & { readonly serviceAccountRef?: StoredServiceAccountRef },
): readonly SpecProblem[] => [...checkShared(spec, false), ...checkServiceAccountRef(spec.serviceAccountRef ?? {})];
