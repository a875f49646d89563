import { type ApiObject, isRecord, type JsonRecord, listAt, stringAt, valueAt } from './json-value.ts';
import { type JsonSchema, withObjectHead } from './json-schema.ts';
import { type ResourceRules, type ServedResource, relabelled } from './served-resource.ts';
import { type StatusCause } from './statuses.ts';
import { requiredValue } from './schema-validation.ts';
import { versionProblems } from './definition-checks.ts';
import { columnsOf } from './built-in-columns.ts';
import { customCell } from './tables.ts';
import { parseJsonPath, plainSteps } from './json-path.ts';

/** CustomResourceDefinitions: names completed, conditions as after a successful establishment, and the rules that matter here. */
export const customResourceDefinitionRules: ResourceRules = {
  prepare(next, previous) {
    const names = completeNames(valueAt(next, 'spec', 'names'));
    const spec = { conversion: { strategy: 'None' }, ...(isRecord(next['spec']) ? next['spec'] : {}), names };
    return { ...next, spec, status: establishedStatus(next, names, previous) };
  },
  check: checkDefinition,
};

function completeNames(given: unknown): JsonRecord {
  const kind = stringAt(given, 'kind') ?? '';
  const names = isRecord(given) ? given : {};
  return { singular: kind.toLowerCase(), listKind: `${kind}List`, ...names };
}

function establishedStatus(definition: ApiObject, names: JsonRecord, previous: ApiObject | undefined): JsonRecord {
  const since = stringAt(listAt(previous, 'status', 'conditions')[0], 'lastTransitionTime');
  const lastTransitionTime = since ?? definition.metadata.creationTimestamp;
  const condition = (type: string, reason: string, message: string) => ({
    type,
    status: 'True',
    lastTransitionTime,
    reason,
    message,
  });
  const storedVersion = stringAt(listAt(definition, 'spec', 'versions').find(isStorage), 'name');
  const storedVersions = new Set([...listAt(previous, 'status', 'storedVersions'), storedVersion]);
  return {
    conditions: [
      condition('NamesAccepted', 'NoConflicts', 'no conflicts found'),
      condition('Established', 'InitialNamesAccepted', 'the initial names have been accepted'),
    ],
    acceptedNames: names,
    storedVersions: [...storedVersions],
  };
}

const isStorage = (version: unknown): boolean => valueAt(version, 'storage') === true;

function checkDefinition(definition: ApiObject): StatusCause[] {
  const required = ['group', 'scope', 'names.plural', 'names.kind']
    .filter((path) => !stringAt(definition, 'spec', ...path.split('.')))
    .map((path) => requiredValue(`spec.${path}`));
  if (required.length > 0) return required;
  const wanted = `${stringAt(definition, 'spec', 'names', 'plural') ?? ''}.${stringAt(definition, 'spec', 'group') ?? ''}`;
  const problems: StatusCause[] = [];
  if (definition.metadata.name !== wanted) {
    const message = `Invalid value: ${JSON.stringify(definition.metadata.name)}: must be spec.names.plural+"."+spec.group`;
    problems.push({ field: 'metadata.name', reason: 'FieldValueInvalid', message });
  }
  const versions = listAt(definition, 'spec', 'versions');
  if (versions.filter(isStorage).length !== 1) {
    const message = 'Invalid value: must have exactly one version marked as storage version';
    problems.push({ field: 'spec.versions', reason: 'FieldValueInvalid', message });
  }
  return [...problems, ...versions.flatMap((version, index) => versionProblems(version, `spec.versions[${index}]`))];
}

/** The resources that an established definition adds: one for each served version. */
export function resourcesOf(definition: ApiObject): ServedResource[] {
  const versions = listAt(definition, 'spec', 'versions');
  const storageVersion = stringAt(versions.find(isStorage), 'name') ?? '';
  return versions
    .filter((version) => valueAt(version, 'served') === true)
    .map((version) => resourceOf(definition, version, storageVersion));
}

function resourceOf(definition: ApiObject, version: unknown, storageVersion: string): ServedResource {
  const name = (field: string) => stringAt(definition, 'spec', 'names', field) ?? '';
  const words = (field: string) => listAt(definition, 'spec', 'names', field).map(String);
  const group = stringAt(definition, 'spec', 'group') ?? '';
  const versionName = stringAt(version, 'name') ?? '';
  const kind = name('kind');
  return {
    group,
    version: versionName,
    plural: name('plural'),
    singular: name('singular'),
    kind,
    listKind: name('listKind'),
    shortNames: words('shortNames'),
    categories: words('categories'),
    namespaced: stringAt(definition, 'spec', 'scope') === 'Namespaced',
    isBuiltIn: false,
    collection: `${name('plural')}.${group}`,
    hasStatus: isRecord(valueAt(version, 'subresources', 'status')),
    hasGeneration: true,
    allowsBlindUpdate: false,
    schema: withObjectHead(valueAt(version, 'schema', 'openAPIV3Schema') as JsonSchema),
    columns: columnsOf(listAt(version, 'additionalPrinterColumns'), customCell),
    selectableFields: selectableFieldsOf(version),
    rules: {},
    toStored: (object) => relabelled(object, `${group}/${storageVersion}`, kind),
    fromStored: (object) => relabelled(object, `${group}/${versionName}`, kind),
  };
}

function selectableFieldsOf(version: unknown): Record<string, readonly string[]> {
  const paths = listAt(version, 'selectableFields').map((field) => stringAt(field, 'jsonPath') ?? '');
  return Object.fromEntries(paths.map((path) => [path.replace(/^\./, ''), plainSteps(parseJsonPath(path))]));
}
