import { type JsonRecord } from './json-value.ts';
import { type ServedResource, apiVersionOf } from './served-resource.ts';

const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const statusVerbs = ['get', 'patch', 'update'];

/** What `/api` answers: the versions of the core group. */
export function coreVersions(): JsonRecord {
  return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] };
}

/** What `/apis` answers: every other group. */
export function groupList(resources: readonly ServedResource[]): JsonRecord {
  const names = new Set(resources.map(({ group }) => group).filter(Boolean));
  const groups = [...names].map((name) => groupOf(resources, name));
  return { kind: 'APIGroupList', apiVersion: 'v1', groups };
}

/** What `/apis/<group>` answers; undefined when nothing of the group is served. */
export function singleGroup(resources: readonly ServedResource[], group: string): JsonRecord | undefined {
  if (!group || !resources.some((resource) => resource.group === group)) return undefined;
  return { kind: 'APIGroup', apiVersion: 'v1', ...groupOf(resources, group) };
}

function groupOf(resources: readonly ServedResource[], name: string): JsonRecord {
  const found = resources.filter(({ group }) => group === name).map(({ version }) => version);
  const versions = [...new Set(found)]
    .sort(byPreference)
    .map((version) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions, preferredVersion: versions[0] };
}

/** Stable versions before betas before alphas, and the newest first. */
function byPreference(a: string, b: string): number {
  const [stageA, stageB] = [stageOf(a), stageOf(b)];
  return stageA === stageB ? b.localeCompare(a, 'en', { numeric: true }) : stageA - stageB;
}

function stageOf(version: string): number {
  if (version.includes('alpha')) return 2;
  return version.includes('beta') ? 1 : 0;
}

/** What `/api/v1` and `/apis/<group>/<version>` answer; undefined when nothing of that version is served. */
export function resourceList(resources: readonly ServedResource[], groupVersion: string): JsonRecord | undefined {
  const served = resources.filter((resource) => apiVersionOf(resource) === groupVersion);
  if (served.length === 0) return undefined;
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources: served.flatMap(entriesOf) };
}

function entriesOf(resource: ServedResource): JsonRecord[] {
  const { plural, singular, namespaced, kind, shortNames, categories, hasStatus } = resource;
  const main = {
    name: plural,
    singularName: singular,
    namespaced,
    kind,
    verbs,
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
  };
  const status = { name: `${plural}/status`, singularName: '', namespaced, kind, verbs: statusVerbs };
  return hasStatus ? [main, status] : [main];
}
