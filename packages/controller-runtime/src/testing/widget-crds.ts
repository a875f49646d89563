import type { ResourceType } from '@buildkeeper/kube-client';
import { gadgetResource, widgetResource } from './widget.ts';

/** The definitions of the kinds that only tests know; they keep every field. */
export const testCrds: readonly object[] = [widgetResource, gadgetResource].map(crdOf);

function crdOf({ group, version, plural, kind, namespaced }: ResourceType): object {
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: open, status: open } } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: namespaced ? 'Namespaced' : 'Cluster',
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      versions: [{ name: version, served: true, storage: true, subresources: { status: {} }, schema }],
    },
  };
}
