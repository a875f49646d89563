import type { KubeObject, ResourceType } from '@buildkeeper/kube-client';
import type { Failure } from '@buildkeeper/retry-policy';

/** A kind that only tests know. */
export const widgetResource: ResourceType = {
  group: 'test.buildkeeper.io',
  version: 'v1',
  plural: 'widgets',
  kind: 'Widget',
  namespaced: true,
};

/** Another one, cluster-scoped, on which widgets depend. */
export const gadgetResource: ResourceType = {
  group: 'test.buildkeeper.io',
  version: 'v1',
  plural: 'gadgets',
  kind: 'Gadget',
  namespaced: false,
};

/** An object of the kind. */
export interface Widget extends KubeObject {
  readonly spec: { readonly gadget?: string; readonly image?: string };
}

/** A widget as a store would hold it; what is not given is that of a fresh one. */
export function widget(
  part: { metadata?: Partial<KubeObject['metadata']>; spec?: Widget['spec']; status?: unknown } = {},
): Widget {
  const metadata = {
    name: 'a',
    namespace: 'team',
    uid: 'uid-a',
    resourceVersion: '1',
    generation: 1,
    ...part.metadata,
  };
  return { metadata, spec: part.spec ?? {}, ...(part.status === undefined ? {} : { status: part.status }) };
}

/** A failure as a registry that refuses connections causes it, but for what is given. */
export function failure(part: Partial<Failure> = {}): Failure {
  return {
    class: 'transient',
    scope: 'host',
    reason: 'RegistryUnavailable',
    evidence: 'dead',
    origin: 'https://registry.example:5000',
    inRequestRetry: 'safe',
    message: 'Cannot read manifest registry.example:5000/base: connection refused (ECONNREFUSED)',
    cause: undefined,
    ...part,
  };
}
