import { type ApiObject, isRecord } from './json-value.ts';
import { type ServedResource, apiVersionOf } from './served-resource.ts';
import { type ApiError, badRequest, invalid, type StatusCause } from './statuses.ts';
import { pruneUnknownFields, withDefaults } from './structural-schema.ts';
import { objectMetaSchema } from './json-schema.ts';
import { validateSchema } from './schema-validation.ts';

/** What a write does about fields that the schema does not know: refuse them, warn, or drop them silently. */
type FieldValidation = 'Strict' | 'Warn' | 'Ignore';

/** The wishes of one write, from its query. */
export interface WriteOptions {
  /** Answer as if it were done, and do nothing. */
  readonly dryRun: boolean;
  readonly fieldValidation: FieldValidation;
  /** Takes what becomes `Warning` headers of the answer. */
  readonly warnings: string[];
}

/** The wishes in the query of a write. Throws 400 or 422 for a word that is not one. */
export function writeOptionsFrom(query: URLSearchParams): WriteOptions {
  const validation = query.get('fieldValidation') ?? 'Warn';
  if (!isFieldValidation(validation)) {
    throw badRequest(
      `fieldValidation: Unsupported value: "${validation}": supported values: "Ignore", "Strict", "Warn"`,
    );
  }
  return { dryRun: query.get('dryRun') === 'All', fieldValidation: validation, warnings: [] };
}

function isFieldValidation(word: string): word is FieldValidation {
  return ['Strict', 'Warn', 'Ignore', ''].includes(word);
}

/**
 * The body of a write as an object of the resource: of the right version and kind, with metadata, pruned and with defaults.
 * Throws 400 for a body that is none, or that a built-in kind can't be read from.
 */
export function admit(resource: ServedResource, body: unknown, options: WriteOptions): ApiObject {
  const object = objectOf(resource, body);
  const { value, unknownFields } = pruneUnknownFields(object, resource.schema);
  reportUnknown(resource, unknownFields, options);
  const complete = withDefaults(value, resource.schema);
  // A built-in kind fails where its JSON is read; of a custom resource only the metadata is read that early.
  const readSchema = resource.isBuiltIn ? resource.schema : { properties: { metadata: objectMetaSchema } };
  const problems = validateSchema(complete, readSchema);
  if (problems.length > 0) throw unreadable(resource, problems);
  return complete;
}

/** Throws 422 when the whole of the object breaks the schema, or its labels are none. */
export function checkObject(resource: ServedResource, object: ApiObject): void {
  const problems = [...labelProblems(object), ...(resource.isBuiltIn ? [] : validateSchema(object, resource.schema))];
  if (problems.length > 0) throw invalid(resource, object.metadata.name ?? '', problems);
}

function objectOf(resource: ServedResource, body: unknown): ApiObject {
  if (!isRecord(body)) throw badRequest('the object provided is unrecognized (must be of type Object)');
  const apiVersion = apiVersionOf(resource);
  const { kind, apiVersion: given, metadata } = body;
  // A built-in kind is decoded into the type of its path, so that kubectl and clients may leave both out.
  const isGivenKind = kind === resource.kind || (resource.isBuiltIn && kind === undefined);
  const isGivenVersion = given === apiVersion || (resource.isBuiltIn && given === undefined);
  if (!isGivenKind) {
    throw badRequest(`the kind in the data (${String(kind)}) does not match the expected kind (${resource.kind})`);
  }
  if (!isGivenVersion) {
    throw badRequest(
      `the API version in the data (${String(given)}) does not match the expected API version (${apiVersion})`,
    );
  }
  return { ...body, apiVersion, kind: resource.kind, metadata: isRecord(metadata) ? metadata : {} };
}

function reportUnknown(
  { kind, version }: ServedResource,
  unknownFields: readonly string[],
  { fieldValidation, warnings }: WriteOptions,
): void {
  const problems = unknownFields.map((field) => `unknown field "${field}"`);
  if (problems.length === 0 || fieldValidation === 'Ignore') return;
  if (fieldValidation === 'Strict') {
    const found = `strict decoding error: ${problems.join(', ')}`;
    throw badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${found}`);
  }
  warnings.push(...problems);
}

function unreadable({ kind, version }: ServedResource, problems: readonly StatusCause[]): ApiError {
  const found = problems.map(({ field, message }) => `${field}: ${message}`).join(', ');
  return badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${found}`);
}

const labelValue = /^(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/;
const labelKey = /^(?:[a-z0-9.-]{1,253}\/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

function labelProblems({ metadata }: ApiObject): StatusCause[] {
  return Object.entries(metadata.labels ?? {})
    .filter(([key, value]) => !labelKey.test(key) || !labelValue.test(value))
    .map(([key, value]) => {
      const wrong = labelKey.test(key) ? value : key;
      const message = `Invalid value: ${JSON.stringify(wrong)}: must consist of at most 63 alphanumeric characters, '-', '_' or '.'`;
      return { field: 'metadata.labels', reason: 'FieldValueInvalid', message };
    });
}
