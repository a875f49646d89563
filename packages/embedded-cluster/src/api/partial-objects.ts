import { type ApiObject } from './json-value.ts';

/** The metadata of an object and nothing else, for clients that only want to know that something changed. */
export function partialObject({ metadata }: ApiObject): ApiObject {
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata };
}
