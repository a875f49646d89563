import { isDeepStrictEqual } from 'node:util';
import { type ApiObject, isRecord, omit, stringAt } from './json-value.ts';
import { type ResourceRules } from './served-resource.ts';
import { type StatusCause } from './statuses.ts';
import { requiredValue } from './schema-validation.ts';

/** Secrets: `stringData` moves into `data`, the type stays, and the registry types hold what their names promise. */
export const secretRules: ResourceRules = {
  prepare(next) {
    const { stringData, ...secret } = next;
    const clear = Object.entries(isRecord(stringData) ? stringData : {});
    const encoded = clear.map(([name, value]) => [name, Buffer.from(String(value)).toString('base64')] as const);
    const data = { ...(isRecord(secret['data']) ? secret['data'] : {}), ...Object.fromEntries(encoded) };
    const filled = { ...secret, type: stringAt(secret, 'type') ?? 'Opaque' } as ApiObject;
    return secret['data'] === undefined && encoded.length === 0 ? filled : { ...filled, data };
  },
  check(next, previous) {
    const problems = [...missingKeys(next)];
    if (previous && next['type'] !== previous['type']) problems.push(immutable('type', next['type']));
    if (previous?.['immutable'] === true && !isDeepStrictEqual(next['data'], previous['data'])) {
      problems.push({
        field: 'data',
        reason: 'FieldValueForbidden',
        message: 'Forbidden: field is immutable when `immutable` is set',
      });
    }
    return problems;
  },
};

const keysByType: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
};

function missingKeys(secret: ApiObject): StatusCause[] {
  const type = stringAt(secret, 'type') ?? '';
  return (keysByType[type] ?? []).flatMap((key) => {
    const value = stringAt(secret, 'data', key);
    if (value === undefined) return [requiredValue(`data[${key}]`)];
    if (!key.startsWith('.docker') || isJsonObject(Buffer.from(value, 'base64').toString())) return [];
    // The value is a credential: a real server hides it too.
    const message = 'Invalid value: "<secret contents redacted>": must be a JSON object';
    return [{ field: `data[${key}]`, reason: 'FieldValueInvalid', message }];
  });
}

function isJsonObject(text: string): boolean {
  try {
    return isRecord(JSON.parse(text));
  } catch {
    // Not JSON at all is what the caller asks about.
    return false;
  }
}

function immutable(field: string, value: unknown): StatusCause {
  return { field, reason: 'FieldValueInvalid', message: `Invalid value: ${JSON.stringify(value)}: field is immutable` };
}

/** Namespaces: phase Active from the start, and the label that selects one by name. */
export const namespaceRules: ResourceRules = {
  prepare(next) {
    const labels = { ...next.metadata.labels, 'kubernetes.io/metadata.name': next.metadata.name ?? '' };
    const status = isRecord(next['status']) ? next['status'] : {};
    return {
      ...omit(next, 'spec', 'status'),
      metadata: { ...next.metadata, labels },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active', ...status },
    };
  },
};
