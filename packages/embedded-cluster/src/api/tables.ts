import { type ApiObject, type JsonRecord } from './json-value.ts';
import { type ServedResource, type TableColumn } from './served-resource.ts';
import { findJsonPath, parseJsonPath } from './json-path.ts';
import { ageOf } from './human-duration.ts';
import { partialObject } from './partial-objects.ts';

/** What `includeObject` asks a table to carry in each row. */
export type RowObject = 'None' | 'Metadata' | 'Object';

/** The cell that a column of a CustomResourceDefinition shows: the first value that its path finds. */
export function customCell(path: string, type: string): TableColumn['cell'] {
  const steps = parseJsonPath(path);
  return (object, nowMs) => {
    const [value] = findJsonPath(object, steps);
    return value === undefined ? null : cellValue(value, type, nowMs);
  };
}

function cellValue(value: unknown, type: string, nowMs: number): unknown {
  switch (type) {
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      return typeof value === 'number' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      return typeof value === 'string' ? ageOf(value, nowMs) : null;
    default:
      return typeof value === 'string' ? value : JSON.stringify(value);
  }
}

/** How one table is made. */
export interface TableOptions {
  readonly rowObject: RowObject;
  readonly nowMs: number;
  /** Whether the column definitions are said again; later events of a watch leave them out. */
  readonly withColumns: boolean;
}

/** The Table of stored objects, as `kubectl get` prints it. */
export function tableOf(
  resource: ServedResource,
  objects: readonly ApiObject[],
  metadata: JsonRecord,
  options: TableOptions,
): JsonRecord {
  const { rowObject, nowMs, withColumns } = options;
  const columnDefinitions = resource.columns.map(({ name, type, format, description, priority }) => ({
    name,
    type,
    format,
    description,
    priority,
  }));
  const rows = objects.map((object) => ({
    cells: resource.columns.map((column) => column.cell(object, nowMs) ?? null),
    ...(rowObject === 'Metadata' && { object: partialObject(object) }),
    ...(rowObject === 'Object' && { object: resource.fromStored(object) }),
  }));
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata,
    columnDefinitions: withColumns ? columnDefinitions : null,
    rows,
  };
}
