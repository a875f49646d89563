import { type ApiObject, stringAt } from './json-value.ts';
import { type ResourceRules } from './served-resource.ts';
import { type StatusCause } from './statuses.ts';
import { requiredValue } from './schema-validation.ts';

/** Field of an Event in the core group → the same field in the group events.k8s.io. */
const fieldNames: Readonly<Record<string, string>> = {
  involvedObject: 'regarding',
  message: 'note',
  reportingComponent: 'reportingController',
  source: 'deprecatedSource',
  firstTimestamp: 'deprecatedFirstTimestamp',
  lastTimestamp: 'deprecatedLastTimestamp',
  count: 'deprecatedCount',
};
const storedNames = Object.fromEntries(Object.entries(fieldNames).map(([stored, name]) => [name, stored]));

/** An Event of events.k8s.io/v1 in its stored form, which is that of the core group. */
export function eventToStored(event: ApiObject): ApiObject {
  return renamed(event, storedNames, 'v1');
}

/** A stored Event as events.k8s.io/v1 shows it. */
export function eventFromStored(event: ApiObject): ApiObject {
  return renamed(event, fieldNames, 'events.k8s.io/v1');
}

function renamed(event: ApiObject, names: Readonly<Record<string, string>>, apiVersion: string): ApiObject {
  const entries = Object.entries(event).map(([name, value]) => [names[name] ?? name, value] as const);
  return { ...(Object.fromEntries(entries) as ApiObject), apiVersion };
}

const limits: readonly (readonly [path: string, maxLength: number])[] = [
  ['reportingInstance', 128],
  ['action', 128],
  ['reason', 128],
  ['message', 1024],
];

/** The rules of a new Event: loose through the core group, strict through events.k8s.io, in the names of that group. */
export function checkEvent(group: 'core' | 'events.k8s.io'): NonNullable<ResourceRules['check']> {
  return (event, previous) => {
    const problems = namespaceProblems(event);
    if (previous || (group === 'core' && !stringAt(event, 'eventTime'))) return problems;
    return [...problems, ...missingFields(event, group), ...longFields(event, group)];
  };
}

function nameIn(group: string, storedName: string): string {
  return group === 'core' ? storedName : (fieldNames[storedName] ?? storedName);
}

function missingFields(event: ApiObject, group: string): StatusCause[] {
  const required = ['eventTime', 'reportingComponent', 'reportingInstance', 'action', 'reason'];
  const missing = required.filter((name) => !event[name]).map((name) => requiredValue(nameIn(group, name)));
  const type = event['type'];
  if (type === 'Normal' || type === 'Warning') return missing;
  const message = `Invalid value: ${JSON.stringify(type ?? '')}: has invalid value: ${JSON.stringify(type ?? '')}`;
  return [...missing, { field: 'type', reason: 'FieldValueInvalid', message }];
}

function longFields(event: ApiObject, group: string): StatusCause[] {
  return limits
    .filter(([name, maxLength]) => (stringAt(event, name)?.length ?? 0) > maxLength)
    .map(([name, maxLength]) => {
      const message = `Invalid value: ${JSON.stringify(event[name])}: can have at most ${maxLength} characters`;
      return { field: nameIn(group, name), reason: 'FieldValueInvalid', message };
    });
}

function namespaceProblems(event: ApiObject): StatusCause[] {
  const involved = event['involvedObject'];
  const named = stringAt(involved, 'namespace') ?? '';
  const wanted = named === '' ? 'default' : named;
  const actual = event.metadata.namespace ?? '';
  // An Event about a cluster-scoped object lives in default; kube-system is let through for the node agents.
  const isForCluster = named === '' && actual === 'kube-system';
  if (wanted === actual || isForCluster) return [];
  const message = `Invalid value: ${JSON.stringify(named)}: does not match event.namespace`;
  return [{ field: 'involvedObject.namespace', reason: 'FieldValueInvalid', message }];
}
