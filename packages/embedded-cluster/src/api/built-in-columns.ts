import { type ApiObject, isRecord, stringAt, valueAt } from './json-value.ts';
import { type TableColumn } from './served-resource.ts';
import { ageOf } from './human-duration.ts';

type Cell = (object: ApiObject, nowMs: number) => unknown;

function column(name: string, type: string, cell: Cell): TableColumn {
  const isName = name === 'Name';
  const description = isName ? 'Name must be unique within a namespace.' : name;
  return { name, type, format: isName ? 'name' : '', description, priority: 0, cell };
}

const countOf = (...fields: readonly string[]): Cell => {
  return (object) => fields.reduce((sum, field) => sum + sizeOf(object[field]), 0);
};

function sizeOf(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return isRecord(value) ? Object.keys(value).length : 0;
}

const name = column('Name', 'string', (object) => object.metadata.name);
const age = column('Age', 'string', (object, nowMs) => ageOf(object.metadata.creationTimestamp, nowMs));
const text = (title: string, ...path: readonly string[]) =>
  column(title, 'string', (object) => stringAt(object, ...path) ?? '');

/** What a kind without columns of its own shows. */
export const nameAndAge: readonly TableColumn[] = [name, age];
/** Columns of Namespaces. */
export const namespaceColumns: readonly TableColumn[] = [name, text('Status', 'status', 'phase'), age];
/** Columns of Secrets. */
export const secretColumns: readonly TableColumn[] = [
  name,
  text('Type', 'type'),
  column('Data', 'integer', countOf('data')),
  age,
];
/** Columns of ConfigMaps. */
export const configMapColumns: readonly TableColumn[] = [
  name,
  column('Data', 'integer', countOf('data', 'binaryData')),
  age,
];
/** Columns of ServiceAccounts. */
export const serviceAccountColumns: readonly TableColumn[] = [
  name,
  column('Secrets', 'integer', countOf('secrets')),
  age,
];
/** Columns of Leases. */
export const leaseColumns: readonly TableColumn[] = [name, text('Holder', 'spec', 'holderIdentity'), age];
/** Columns of CustomResourceDefinitions. */
export const definitionColumns: readonly TableColumn[] = [
  name,
  column('Created At', 'date', (object) => object.metadata.creationTimestamp),
];
/** Columns of Events, in either group. */
export const eventColumns: readonly TableColumn[] = [
  column('Last Seen', 'string', (event, nowMs) => ageOf(lastSeenOf(event), nowMs)),
  text('Type', 'type'),
  text('Reason', 'reason'),
  column('Object', 'string', (event) => {
    const kind = stringAt(event, 'involvedObject', 'kind') ?? '';
    return `${kind.toLowerCase()}/${stringAt(event, 'involvedObject', 'name') ?? ''}`;
  }),
  column('Message', 'string', (event) => (stringAt(event, 'message') ?? '').trim()),
];

function lastSeenOf(event: ApiObject): string | undefined {
  const times = [['series', 'lastObservedTime'], ['lastTimestamp'], ['eventTime'], ['firstTimestamp']];
  return times.map((path) => stringAt(event, ...path)).find((time) => time !== undefined);
}

/** Columns that `additionalPrinterColumns` of a CustomResourceDefinition version declare, after the name. */
export function columnsOf(
  declared: readonly unknown[],
  cellOf: (path: string, type: string) => Cell,
): readonly TableColumn[] {
  if (declared.length === 0) return nameAndAge;
  const columns = declared.map((entry): TableColumn => {
    const type = stringAt(entry, 'type') ?? 'string';
    const priority = valueAt(entry, 'priority');
    return {
      name: stringAt(entry, 'name') ?? '',
      type,
      format: stringAt(entry, 'format') ?? '',
      description: stringAt(entry, 'description') ?? '',
      priority: typeof priority === 'number' ? priority : 0,
      cell: cellOf(stringAt(entry, 'jsonPath') ?? '', type),
    };
  });
  return [name, ...columns];
}
