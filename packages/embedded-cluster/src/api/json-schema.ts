/** The part of OpenAPI v3 schemas that CustomResourceDefinitions use. Validation rules in CEL are carried, not run. */
export interface JsonSchema {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: boolean | JsonSchema;
  readonly items?: JsonSchema;
  readonly required?: readonly string[];
  readonly default?: unknown;
  readonly nullable?: boolean;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly allOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly not?: JsonSchema;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: string;
  readonly 'x-kubernetes-patch-merge-key'?: string;
  readonly 'x-kubernetes-patch-strategy'?: string;
}

const text: JsonSchema = { type: 'string' };
const texts: JsonSchema = { type: 'object', additionalProperties: text };

/** Schema of `metadata`, the same in every kind. */
export const objectMetaSchema: JsonSchema = {
  type: 'object',
  description: 'Standard metadata: name, labels, annotations, and what the server keeps about the object.',
  properties: {
    name: { ...text, description: 'Unique within the namespace; can not be changed.' },
    generateName: { ...text, description: 'Prefix of a name that the server completes.' },
    namespace: text,
    selfLink: text,
    uid: { ...text, description: 'Tells two objects of the same name apart in time.' },
    resourceVersion: { ...text, description: 'Changes with each write; to be handed back unchanged.' },
    generation: { type: 'integer', description: 'Grows with each change of the desired state.' },
    creationTimestamp: { ...text, format: 'date-time', nullable: true },
    deletionTimestamp: { ...text, format: 'date-time', nullable: true },
    deletionGracePeriodSeconds: { type: 'integer' },
    labels: { ...texts, description: 'What selectors select by.' },
    annotations: { ...texts, description: 'Anything that tools keep with the object.' },
    finalizers: {
      type: 'array',
      description: 'Who must let go before a deleted object vanishes.',
      items: text,
      'x-kubernetes-list-type': 'set',
      'x-kubernetes-patch-strategy': 'merge',
    },
    ownerReferences: {
      type: 'array',
      items: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'uid',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['uid'],
    },
    managedFields: { type: 'array', items: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
  },
};

/** The schema with `apiVersion`, `kind` and `metadata` as every object has them, whatever it says about these. */
export function withObjectHead(schema: JsonSchema): JsonSchema {
  const head = {
    apiVersion: { ...text, description: 'Group and version of this representation.' },
    kind: { ...text, description: 'Kind of this representation.' },
    metadata: objectMetaSchema,
  };
  return { ...schema, type: 'object', properties: { ...schema.properties, ...head } };
}
