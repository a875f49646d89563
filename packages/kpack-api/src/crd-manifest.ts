import { type ResourceType } from './resources.ts';
import { structuralSchema, type StructuralSchema } from './structural-schema.ts';

/** One column of `kubectl get`. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'date';
  readonly jsonPath: string;
  readonly description: string;
  /** 0 (or absent) is shown always, 1 with `-o wide` only. */
  readonly priority?: number;
}

/** What a kind adds to the definition that all kinds share. */
export interface KindDefinition {
  readonly resource: ResourceType;
  readonly description: string;
  readonly shortNames: readonly string[];
  readonly schemas: { readonly spec: object; readonly status: object };
  /** Columns of the kind alone, shown before Age. */
  readonly columns: readonly PrinterColumn[];
}

/** A CustomResourceDefinition of apiextensions.k8s.io/v1, as far as this package fills it. */
export interface CrdManifest {
  readonly apiVersion: 'apiextensions.k8s.io/v1';
  readonly kind: 'CustomResourceDefinition';
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly scope: 'Namespaced' | 'Cluster';
    readonly names: object;
    readonly conversion: { readonly strategy: 'None' };
    readonly versions: readonly CrdVersion[];
  };
}

/** One version of a CustomResourceDefinition. */
export interface CrdVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly subresources: { readonly status: object };
  readonly additionalPrinterColumns: readonly PrinterColumn[];
  readonly schema: { readonly openAPIV3Schema: StructuralSchema };
}

const condition = (type: string, field: string) => `.status.conditions[?(@.type=="${type}")].${field}`;

const leadingColumns: readonly PrinterColumn[] = [
  {
    name: 'Ready',
    type: 'string',
    jsonPath: condition('Ready', 'status'),
    description: 'Whether the status holds something usable.',
  },
  {
    name: 'UpToDate',
    type: 'string',
    jsonPath: condition('UpToDate', 'status'),
    description: 'Whether it is what the spec asks for, freshly read.',
  },
  { name: 'Reason', type: 'string', jsonPath: condition('UpToDate', 'reason'), description: 'Why.' },
  {
    name: 'Retries',
    type: 'integer',
    jsonPath: '.status.retry.attempts',
    description: 'Failed attempts in a row; a new spec starts from none.',
  },
  {
    // A `date` column prints times that lie ahead as invalid.
    name: 'Next-Retry',
    type: 'string',
    jsonPath: '.status.retry.nextAttemptTime',
    description: 'When the next attempt is due.',
  },
];

const ageColumn: PrinterColumn = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
  description: 'Time since the object was created.',
};

const rootSchema = ({ resource, description, schemas }: KindDefinition): StructuralSchema => ({
  type: 'object',
  description,
  required: ['spec'],
  properties: {
    apiVersion: { type: 'string', description: `Version of the API: ${resource.group}/${resource.version}.` },
    kind: { type: 'string', description: `Kind of the object: ${resource.kind}.` },
    metadata: { type: 'object' },
    spec: structuralSchema(schemas.spec, `${resource.kind}.spec`),
    status: structuralSchema(schemas.status, `${resource.kind}.status`),
  },
});

const names = ({ resource, shortNames }: KindDefinition) => ({
  kind: resource.kind,
  listKind: `${resource.kind}List`,
  plural: resource.plural,
  singular: resource.kind.toLowerCase(),
  ...(shortNames.length > 0 && { shortNames }),
  categories: ['kpack'],
});

/** The CustomResourceDefinition of one kind. Throws TypeError when its schema has no structural form. */
export const crdManifest = (definition: KindDefinition): CrdManifest => {
  const { group, version, plural, namespaced } = definition.resource;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: namespaced ? 'Namespaced' : 'Cluster',
      names: names(definition),
      // Said, so that applying it over an older definition ends that one's conversion webhook.
      conversion: { strategy: 'None' },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: [...leadingColumns, ...definition.columns, ageColumn],
          schema: { openAPIV3Schema: rootSchema(definition) },
        },
      ],
    },
  };
};
