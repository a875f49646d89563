import { withObjectHead, type JsonSchema } from './json-schema.ts';
import { type ServedResource, apiVersionOf, relabelled } from './served-resource.ts';
import * as schemas from './built-in-schemas.ts';
import * as columns from './built-in-columns.ts';
import { checkEvent, eventFromStored, eventToStored } from './event-views.ts';
import { secretRules, namespaceRules } from './built-in-rules.ts';
import { customResourceDefinitionRules } from './custom-resource-definition.ts';

/** The collection of Events, whichever group they are written through. */
const eventCollection = 'events';
/** The collection of CustomResourceDefinitions. */
export const definitionCollection = 'customresourcedefinitions.apiextensions.k8s.io';
/** The collection of Namespaces. */
export const namespaceCollection = 'namespaces';

type Names = Pick<ServedResource, 'group' | 'version' | 'plural' | 'kind'>;

function builtIn(names: Names, schema: JsonSchema, extra: Partial<ServedResource>): ServedResource {
  const apiVersion = apiVersionOf(names);
  const relabel: ServedResource['toStored'] = (object) => relabelled(object, apiVersion, names.kind);
  return {
    ...names,
    singular: names.kind.toLowerCase(),
    listKind: `${names.kind}List`,
    shortNames: [],
    categories: [],
    namespaced: true,
    isBuiltIn: true,
    collection: names.group ? `${names.plural}.${names.group}` : names.plural,
    hasStatus: false,
    hasGeneration: false,
    allowsBlindUpdate: true,
    schema: withObjectHead(schema),
    columns: columns.nameAndAge,
    selectableFields: {},
    rules: {},
    toStored: relabel,
    fromStored: relabel,
    ...extra,
  };
}

const core = (plural: string, kind: string): Names => ({ group: '', version: 'v1', plural, kind });

const eventFields = {
  'involvedObject.kind': ['involvedObject', 'kind'],
  'involvedObject.namespace': ['involvedObject', 'namespace'],
  'involvedObject.name': ['involvedObject', 'name'],
  'involvedObject.uid': ['involvedObject', 'uid'],
  'involvedObject.apiVersion': ['involvedObject', 'apiVersion'],
  'involvedObject.resourceVersion': ['involvedObject', 'resourceVersion'],
  'involvedObject.fieldPath': ['involvedObject', 'fieldPath'],
  'regarding.kind': ['involvedObject', 'kind'],
  'regarding.namespace': ['involvedObject', 'namespace'],
  'regarding.name': ['involvedObject', 'name'],
  'regarding.uid': ['involvedObject', 'uid'],
  reason: ['reason'],
  reportingComponent: ['reportingComponent'],
  reportingController: ['reportingComponent'],
  source: ['source', 'component'],
  type: ['type'],
};
const eventParts = {
  collection: eventCollection,
  shortNames: ['ev'],
  columns: columns.eventColumns,
  selectableFields: eventFields,
};

/** Every resource that is served without a CustomResourceDefinition. */
export const builtInResources: readonly ServedResource[] = [
  builtIn(core('namespaces', 'Namespace'), schemas.namespaceSchema, {
    namespaced: false,
    shortNames: ['ns'],
    hasStatus: true,
    columns: columns.namespaceColumns,
    rules: namespaceRules,
  }),
  builtIn(core('secrets', 'Secret'), schemas.secretSchema, {
    columns: columns.secretColumns,
    selectableFields: { type: ['type'] },
    rules: secretRules,
  }),
  builtIn(core('configmaps', 'ConfigMap'), schemas.configMapSchema, {
    shortNames: ['cm'],
    columns: columns.configMapColumns,
  }),
  builtIn(core('serviceaccounts', 'ServiceAccount'), schemas.serviceAccountSchema, {
    shortNames: ['sa'],
    columns: columns.serviceAccountColumns,
  }),
  builtIn(core('events', 'Event'), schemas.coreEventSchema, { ...eventParts, rules: { check: checkEvent('core') } }),
  builtIn({ group: 'events.k8s.io', version: 'v1', plural: 'events', kind: 'Event' }, schemas.eventSchema, {
    ...eventParts,
    rules: { check: checkEvent('events.k8s.io') },
    toStored: eventToStored,
    fromStored: eventFromStored,
  }),
  builtIn({ group: 'coordination.k8s.io', version: 'v1', plural: 'leases', kind: 'Lease' }, schemas.leaseSchema, {
    columns: columns.leaseColumns,
    allowsBlindUpdate: false,
  }),
  builtIn(
    {
      group: 'apiextensions.k8s.io',
      version: 'v1',
      plural: 'customresourcedefinitions',
      kind: 'CustomResourceDefinition',
    },
    schemas.customResourceDefinitionSchema,
    {
      namespaced: false,
      shortNames: ['crd', 'crds'],
      categories: ['api-extensions'],
      hasStatus: true,
      hasGeneration: true,
      columns: columns.definitionColumns,
      allowsBlindUpdate: false,
      rules: customResourceDefinitionRules,
    },
  ),
];
