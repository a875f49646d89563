import { type kpackApiVersion } from './resources.ts';

/** What the controllers read of `metadata`; the API server fills `uid` and `resourceVersion`. */
export interface ObjectMeta {
  name: string;
  /** Absent on cluster-wide kinds. */
  namespace?: string;
  uid: string;
  resourceVersion: string;
  /** Moves with every change of `spec`. */
  generation?: number;
  annotations?: Record<string, string>;
  labels?: Record<string, string>;
  /** RFC 3339. */
  creationTimestamp?: string;
  /** RFC 3339; present while the object is being deleted. */
  deletionTimestamp?: string;
  finalizers?: string[];
}

/** An object of this API group as the API server returns it. */
export interface CustomObject<Kind extends string, Spec, Status> {
  apiVersion: typeof kpackApiVersion;
  kind: Kind;
  metadata: ObjectMeta;
  spec: Spec;
  /** Absent until somebody wrote a status. */
  status?: Status;
}
