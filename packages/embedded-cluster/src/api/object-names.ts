import { randomBytes } from 'node:crypto';
import { type ApiObject } from './json-value.ts';
import { type ServedResource } from './served-resource.ts';
import { badRequest, invalid } from './statuses.ts';

const subdomain = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;
const label = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;

/** The object with a checked name, made from `generateName` when there is none, and with the namespace of the request. */
export function named(resource: ServedResource, object: ApiObject, namespace: string | undefined): ApiObject {
  const { metadata } = object;
  if (metadata.namespace && metadata.namespace !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  const name = metadata.name ?? (metadata.generateName ? metadata.generateName + randomSuffix() : undefined);
  checkName(resource, name);
  return { ...object, metadata: { ...metadata, name, ...(namespace && { namespace }) } };
}

function randomSuffix(): string {
  return [...randomBytes(5)].map((byte) => 'bcdfghjklmnpqrstvwxz2456789'.charAt(byte % 27)).join('');
}

function checkName(resource: ServedResource, name: string | undefined): asserts name is string {
  const field = 'metadata.name';
  if (!name) {
    const message = 'Required value: name or generateName is required';
    throw invalid(resource, '', [{ field, reason: 'FieldValueRequired', message }]);
  }
  const [pattern, maxLength, what] =
    resource.plural === 'namespaces' ? [label, 63, 'label'] : [subdomain, 253, 'subdomain'];
  if (pattern.test(name) && name.length <= maxLength) return;
  const message = `Invalid value: ${JSON.stringify(name)}: must be a lowercase RFC 1123 ${what} of at most ${maxLength} characters`;
  throw invalid(resource, name, [{ field, reason: 'FieldValueInvalid', message }]);
}
