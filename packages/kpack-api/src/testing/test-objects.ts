import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { crdManifests } from '../crd-manifests.ts';
import { type StructuralSchema } from '../structural-schema.ts';

/** An object as a YAML file spells it, before anything has checked it. */
export interface TestObject {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: unknown;
}

/** The objects of one file in `testdata`. */
export const readTestObjects = (file: string): readonly TestObject[] => {
  const text = readFileSync(resolve(import.meta.dirname, '../../testdata', file), 'utf8');
  return parseAllDocuments(text).map((document) => document.toJS() as TestObject);
};

/** The schema of one kind, as the API server gets it. */
export const schemaOf = (kind: string): StructuralSchema => {
  const manifest = crdManifests().find(({ spec }) => (spec.names as { kind: string }).kind === kind);
  const version = manifest?.spec.versions[0];
  if (version === undefined) throw new Error(`no such kind: ${kind}`);
  return version.schema.openAPIV3Schema;
};
