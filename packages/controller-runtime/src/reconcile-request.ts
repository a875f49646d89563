import type { KubeObject } from '@buildkeeper/kube-client';
import { readStatus } from './object-status.ts';

/** Annotation by which a person asks for an attempt at once; any value that was not answered yet does. */
export const requestAnnotation = 'buildkeeper.io/reconcile-requested-at';

/** The value of the request annotation. */
export function requestOf(object: KubeObject): string | undefined {
  return object.metadata.annotations?.[requestAnnotation];
}

/** Whether a request stands on the object that its status has not answered. */
export function isRequested(object: KubeObject): boolean {
  const request = requestOf(object);
  return request !== undefined && request !== readStatus(object.status).lastHandledReconcileAt;
}
