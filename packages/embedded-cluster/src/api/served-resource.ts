import { type ApiObject } from './json-value.ts';
import { type JsonSchema } from './json-schema.ts';
import { type StatusCause } from './statuses.ts';

/** A column of `kubectl get`. */
export interface TableColumn {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  /** 0 is always shown; more only with `-o wide`. */
  readonly priority: number;
  /** The cell of one object; null or undefined shows as nothing. */
  cell(object: ApiObject, nowMs: number): unknown;
}

/** Rules of a kind beyond its schema. All are pure, and work on the stored form. */
export interface ResourceRules {
  /** The object as it is stored, made from the object as it was sent. */
  prepare?(next: ApiObject, previous: ApiObject | undefined): ApiObject;
  /** What is wrong with the object. */
  check?(next: ApiObject, previous: ApiObject | undefined): readonly StatusCause[];
}

/** One resource in one version, as it is discovered, read and written. */
export interface ServedResource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  /** Whether the server itself defines it, not a CustomResourceDefinition: such kinds take strategic merge patches. */
  readonly isBuiltIn: boolean;
  /** The collection of the storage: the same for every version, and for both views of Events. */
  readonly collection: string;
  readonly hasStatus: boolean;
  readonly hasGeneration: boolean;
  /** Whether a PUT without resourceVersion is taken, and wins over whatever is stored. */
  readonly allowsBlindUpdate: boolean;
  /** The schema with `apiVersion`, `kind` and `metadata` in it. */
  readonly schema: JsonSchema;
  readonly columns: readonly TableColumn[];
  /** Field selectors besides `metadata.name` and `metadata.namespace`: label → path in the stored form. */
  readonly selectableFields: Readonly<Record<string, readonly string[]>>;
  readonly rules: ResourceRules;
  /** From this version to the stored form. */
  toStored(object: ApiObject): ApiObject;
  /** From the stored form to this version. */
  fromStored(object: ApiObject): ApiObject;
}

/** `group/version`, or the version alone for the core group. */
export function apiVersionOf({ group, version }: { readonly group: string; readonly version: string }): string {
  return group ? `${group}/${version}` : version;
}

/** The object under another `apiVersion` and `kind`; itself when it has them already. */
export function relabelled(object: ApiObject, apiVersion: string, kind: string): ApiObject {
  return object.apiVersion === apiVersion && object.kind === kind ? object : { ...object, apiVersion, kind };
}
