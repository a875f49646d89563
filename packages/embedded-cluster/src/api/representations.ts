import { type ApiObject, type JsonRecord, omit } from './json-value.ts';
import { type ServedResource, apiVersionOf } from './served-resource.ts';
import { notAcceptable } from './statuses.ts';
import { partialObject } from './partial-objects.ts';
import { type RowObject, tableOf } from './tables.ts';

type Shape = 'object' | 'table' | 'partial';

/** How a client wants objects shown: whole, as rows of a table, or as metadata alone. */
export interface Representation {
  /** One object, from its stored form; `isFirst` is false for the later events of a watch. */
  one(object: ApiObject, isFirst?: boolean): JsonRecord;
  /** A list under the metadata. */
  many(objects: readonly ApiObject[], metadata: JsonRecord): JsonRecord;
  /** What a bookmark carries: a resourceVersion, and annotations. */
  bookmark(metadata: JsonRecord): JsonRecord;
}

/** The representation for the `Accept` header. Throws 406 when nothing in it can be served. */
export function representationFor(resource: ServedResource, accept: string, query: URLSearchParams): Representation {
  const shape = shapeFor(accept);
  if (shape === 'table') return tableRepresentation(resource, rowObjectFrom(query));
  return shape === 'partial' ? partialRepresentation : wholeRepresentation(resource);
}

const shapes: Readonly<Record<string, Shape>> = {
  Table: 'table',
  PartialObjectMetadata: 'partial',
  PartialObjectMetadataList: 'partial',
};
const plainTypes = ['', '*/*', 'application/*', 'application/json'];

function shapeFor(accept: string): Shape {
  for (const entry of accept.split(',')) {
    const [type = '', ...parameters] = entry.split(';').map((part) => part.trim());
    if (!plainTypes.includes(type)) continue;
    const wanted = Object.fromEntries(parameters.map((parameter) => parameter.split('=', 2))) as Record<string, string>;
    if (wanted['as'] === undefined) return 'object';
    const shape = shapes[wanted['as']];
    if (shape && wanted['g'] === 'meta.k8s.io' && wanted['v'] === 'v1') return shape;
  }
  throw notAcceptable(['application/json', 'application/json;as=Table;v=v1;g=meta.k8s.io']);
}

function rowObjectFrom(query: URLSearchParams): RowObject {
  const asked = query.get('includeObject');
  return asked === 'None' || asked === 'Object' ? asked : 'Metadata';
}

function wholeRepresentation(resource: ServedResource): Representation {
  const apiVersion = apiVersionOf(resource);
  // A list of a built-in kind says kind and version once, not in each item; custom resources repeat it.
  const itemOf = (object: ApiObject): JsonRecord =>
    resource.isBuiltIn ? omit(resource.fromStored(object), 'kind', 'apiVersion') : resource.fromStored(object);
  return {
    one: (object) => resource.fromStored(object),
    many: (objects, metadata) => ({
      kind: resource.listKind,
      apiVersion,
      metadata: resource.isBuiltIn ? metadata : { continue: '', ...metadata },
      items: objects.map(itemOf),
    }),
    bookmark: (metadata) => ({ kind: resource.kind, apiVersion, metadata: { ...metadata, creationTimestamp: null } }),
  };
}

const partialRepresentation: Representation = {
  one: partialObject,
  many: (objects, metadata) => ({
    kind: 'PartialObjectMetadataList',
    apiVersion: 'meta.k8s.io/v1',
    metadata,
    items: objects.map(partialObject),
  }),
  bookmark: (metadata) => ({ ...partialObject({ apiVersion: '', kind: '', metadata: { ...metadata } }) }),
};

function tableRepresentation(resource: ServedResource, rowObject: RowObject): Representation {
  const table = (objects: readonly ApiObject[], metadata: JsonRecord, withColumns: boolean) =>
    tableOf(resource, objects, metadata, { rowObject, nowMs: Date.now(), withColumns });
  const versionOf = (object: ApiObject) => ({ resourceVersion: object.metadata.resourceVersion });
  return {
    one: (object, isFirst = true) => table([object], versionOf(object), isFirst),
    many: (objects, metadata) => table(objects, metadata, true),
    bookmark: (metadata) => {
      const row = { cells: resource.columns.map(() => null), object: partialRepresentation.bookmark(metadata) };
      return { ...table([], metadata, false), rows: [row] };
    },
  };
}
