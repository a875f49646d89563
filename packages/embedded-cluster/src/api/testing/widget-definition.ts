import { type JsonSchema } from '../json-schema.ts';

const text: JsonSchema = { type: 'string' };

/** Schema of a Widget: one of each thing that schemas can say. */
export const widgetSchema: JsonSchema = {
  type: 'object',
  description: 'Something to write down.',
  required: ['spec'],
  properties: {
    spec: {
      type: 'object',
      description: 'The widget that is wanted.',
      required: ['size'],
      properties: {
        size: { type: 'integer', minimum: 1, description: 'How large it is.' },
        color: { type: 'string', enum: ['red', 'green'], default: 'red' },
        tag: { type: 'string', pattern: '^[a-z]+$', maxLength: 8 },
        note: { type: 'string', nullable: true },
        limit: { 'x-kubernetes-int-or-string': true },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        labels: { type: 'object', additionalProperties: text },
        names: { type: 'array', maxItems: 3, items: text, 'x-kubernetes-list-type': 'set' },
        steps: { type: 'array', items: text },
        parts: {
          type: 'array',
          items: {
            type: 'object',
            required: ['name'],
            properties: { name: text, count: { type: 'integer', default: 1 } },
          },
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
        },
      },
    },
    status: {
      type: 'object',
      properties: {
        seenAt: { type: 'string', format: 'date-time' },
        count: { type: 'integer' },
        conditions: {
          type: 'array',
          items: { type: 'object', properties: { type: text, status: text, reason: text } },
        },
      },
    },
  },
};

const columns = [
  { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
  { name: 'Seen', type: 'date', jsonPath: '.status.seenAt' },
  { name: 'Color', type: 'string', jsonPath: '.spec.color', priority: 1 },
];

/** A CustomResourceDefinition of namespaced Widgets, in a stored and an older served version. */
export function widgetDefinition() {
  const names = { plural: 'widgets', kind: 'Widget', shortNames: ['wd'], categories: ['things'] };
  const version = {
    served: true,
    schema: { openAPIV3Schema: widgetSchema },
    subresources: { status: {} },
    additionalPrinterColumns: columns,
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.test' },
    spec: {
      group: 'example.test',
      scope: 'Namespaced',
      names,
      versions: [
        { name: 'v1', storage: true, ...version },
        { name: 'v1beta1', storage: false, ...version },
      ],
    },
  };
}

/** Where the Widgets of the namespace default are. */
export const widgetsPath = '/apis/example.test/v1/namespaces/default/widgets';

/** A Widget to post. */
export function widget(name: string, spec: object = { size: 1 }, metadata: object = {}) {
  return { apiVersion: 'example.test/v1', kind: 'Widget', metadata: { name, ...metadata }, spec };
}
