import { type JsonSchema } from './json-schema.ts';

const text: JsonSchema = { type: 'string' };
const integer: JsonSchema = { type: 'integer' };
const flag: JsonSchema = { type: 'boolean' };
const time: JsonSchema = { type: 'string', format: 'date-time', nullable: true };
const microTime: JsonSchema = { type: 'string', format: 'micro-time', nullable: true };
const texts: JsonSchema = { type: 'object', additionalProperties: text };
const bytes: JsonSchema = { type: 'object', additionalProperties: { type: 'string', format: 'byte', nullable: true } };
const anything: JsonSchema = { 'x-kubernetes-preserve-unknown-fields': true };
const object = (properties: Record<string, JsonSchema>): JsonSchema => ({ type: 'object', properties });
const described = (description: string, properties: Record<string, JsonSchema>): JsonSchema => ({
  ...object(properties),
  description,
});

const namesOf = (properties: Record<string, JsonSchema>): JsonSchema => ({
  type: 'array',
  items: object(properties),
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['name'],
  'x-kubernetes-patch-strategy': 'merge',
  'x-kubernetes-patch-merge-key': 'name',
});

const objectReferenceFields = {
  apiVersion: text,
  kind: text,
  namespace: text,
  name: text,
  uid: text,
  resourceVersion: text,
  fieldPath: text,
};
const objectReference = object(objectReferenceFields);

/** Secrets. */
export const secretSchema = described('Values that must not be seen, each in base64.', {
  data: bytes,
  stringData: { ...texts, description: 'Written in clear; the server moves it into data.' },
  immutable: flag,
  type: text,
});

/** ConfigMaps. */
export const configMapSchema = described('Configuration values by name.', {
  data: texts,
  binaryData: bytes,
  immutable: flag,
});

/** ServiceAccounts. */
export const serviceAccountSchema = described('An identity in a namespace, and the Secrets that go with it.', {
  secrets: namesOf(objectReferenceFields),
  imagePullSecrets: namesOf({ name: text }),
  automountServiceAccountToken: flag,
});

/** Namespaces. */
export const namespaceSchema = described('A scope for the names of objects.', {
  spec: object({ finalizers: { type: 'array', items: text } }),
  status: object({ phase: text, conditions: { type: 'array', items: anything } }),
});

const eventSource = object({ component: text, host: text });
const eventSeries = object({ count: integer, lastObservedTime: microTime });

/** Events of the core group, which is also their stored form. */
export const coreEventSchema = described('What happened to an object.', {
  involvedObject: objectReference,
  reason: text,
  message: text,
  source: eventSource,
  firstTimestamp: time,
  lastTimestamp: time,
  count: integer,
  type: text,
  eventTime: microTime,
  series: { ...eventSeries, nullable: true },
  action: text,
  related: { ...objectReference, nullable: true },
  reportingComponent: text,
  reportingInstance: text,
});

/** Events of the group events.k8s.io. */
export const eventSchema = described('What happened to an object.', {
  eventTime: microTime,
  series: { ...eventSeries, nullable: true },
  reportingController: text,
  reportingInstance: text,
  action: text,
  reason: text,
  regarding: objectReference,
  related: { ...objectReference, nullable: true },
  note: text,
  type: text,
  deprecatedSource: eventSource,
  deprecatedFirstTimestamp: time,
  deprecatedLastTimestamp: time,
  deprecatedCount: integer,
});

/** Leases. */
export const leaseSchema = described('Who holds a role, and until when.', {
  spec: object({
    holderIdentity: { ...text, nullable: true },
    leaseDurationSeconds: { ...integer, nullable: true },
    acquireTime: microTime,
    renewTime: microTime,
    leaseTransitions: { ...integer, nullable: true },
    strategy: { ...text, nullable: true },
    preferredHolder: { ...text, nullable: true },
  }),
});

/** CustomResourceDefinitions; the schema inside one is taken as it comes. */
export const customResourceDefinitionSchema = described('A kind that the server learns.', {
  spec: object({
    group: text,
    scope: text,
    names: object({
      plural: text,
      singular: text,
      kind: text,
      listKind: text,
      shortNames: { type: 'array', items: text },
      categories: { type: 'array', items: text },
    }),
    versions: { type: 'array', items: anything },
    conversion: anything,
    preserveUnknownFields: flag,
  }),
  status: anything,
});
