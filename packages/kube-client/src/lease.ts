import { failureOf } from '@buildkeeper/retry-policy';
import type { KubeClient } from './kube-client.ts';
import type { KubeObject } from './kube-object.ts';
import type { ObjectName, ResourceType } from './resource-type.ts';

/** Leases, on which leaders are elected. */
export const leaseResource: ResourceType = {
  group: 'coordination.k8s.io',
  version: 'v1',
  plural: 'leases',
  kind: 'Lease',
  namespaced: true,
};

/** Who leads, and until when. Times are MicroTimes (see microTime). */
export interface LeaseSpec {
  /** Absent or empty: nobody holds it. */
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly acquireTime?: string;
  readonly renewTime?: string;
  /** How often the holder has changed. */
  readonly leaseTransitions?: number;
}

/** A Lease as the server holds it. */
export interface Lease extends KubeObject {
  readonly spec?: LeaseSpec;
}

/** Reads and writes one Lease. The election itself is not here. Throws KubeError; a lost race is class conflict. */
export interface LeaseClient {
  /** Undefined when the Lease does not exist. */
  get(signal: AbortSignal): Promise<Lease | undefined>;
  create(spec: LeaseSpec, signal: AbortSignal): Promise<Lease>;
  /** Writes `spec` over the Lease that was read, unless somebody else wrote it since. */
  replace(read: Lease, spec: LeaseSpec, signal: AbortSignal): Promise<Lease>;
}

/** Makes the client of the Lease of that name. */
export function createLeaseClient(client: KubeClient, name: Required<ObjectName>): LeaseClient {
  return {
    async get(signal) {
      try {
        return await client.get<Lease>(leaseResource, name, signal);
      } catch (error) {
        if (failureOf(error)?.class === 'notFound') return undefined;
        throw error;
      }
    },
    create(spec, signal) {
      const head = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: name };
      return client.create<Lease>(leaseResource, { ...head, spec }, signal);
    },
    replace: (read, spec, signal) => client.replace(leaseResource, { ...read, spec }, signal),
  };
}
