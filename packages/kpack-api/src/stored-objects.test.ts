import { describe, expect, it } from 'vitest';
import { checkBuilderSpec, checkClusterBuilderSpec } from './check-builder-spec.ts';
import {
  checkBuildpackSpec,
  checkClusterBuildpackSpec,
  checkClusterLifecycleSpec,
  checkClusterStackSpec,
  checkClusterStoreSpec,
} from './check-source-spec.ts';
import { type SpecProblem } from './spec-problem.ts';
import { structuralFaults } from './testing/structural-faults.ts';
import { readTestObjects, schemaOf, type TestObject } from './testing/test-objects.ts';

const checks: Record<string, (spec: never) => readonly SpecProblem[]> = {
  Builder: checkBuilderSpec,
  ClusterBuilder: checkClusterBuilderSpec,
  ClusterStore: checkClusterStoreSpec,
  ClusterStack: checkClusterStackSpec,
  ClusterLifecycle: checkClusterLifecycleSpec,
  Buildpack: checkBuildpackSpec,
  ClusterBuildpack: checkClusterBuildpackSpec,
};
const kinds = Object.keys(checks);

const problemsOf = ({ kind, spec }: TestObject) => checks[kind]!(spec as never);
const faultsOf = (object: TestObject) => structuralFaults(schemaOf(object.kind), object, '');
const named = (objects: readonly TestObject[]) =>
  objects.map((object) => [`${object.kind} ${object.metadata.name}`, object] as const);

const stored = readTestObjects('stored-by-kpack.yaml');
const manifests = readTestObjects('manifests.yaml');
const refused = readTestObjects('refused.yaml');

describe('objects that kpack has stored', () => {
  it('exist in the test data for every kind', () => {
    expect(new Set(stored.map(({ kind }) => kind))).toEqual(new Set(kinds));
  });

  it.each(named(stored))('%s: the schema accepts it', (_, object) => {
    expect(faultsOf(object)).toEqual([]);
  });
});

describe('manifests written for kpack', () => {
  it('exist in the test data for every kind', () => {
    expect(new Set(manifests.map(({ kind }) => kind))).toEqual(new Set(kinds));
  });

  it.each(named(manifests))('%s: the schema and the check accept it', (_, object) => {
    expect(faultsOf(object)).toEqual([]);
    expect(problemsOf(object)).toEqual([]);
  });
});

describe('objects that the API server refuses', () => {
  it.each(named(refused))('%s: our own check refuses it too, and names the same field', (_, object) => {
    const field = object.metadata.annotations?.['field'] ?? 'no field';
    // Where a whole object is missing, the check speaks about the first field in it that is needed.
    expect(problemsOf(object).some((problem) => problem.field.startsWith(field))).toBe(true);
  });

  it.each(named(refused))('%s: what the schema alone refuses is at that field', (_, object) => {
    const field = `.${object.metadata.annotations?.['field'] ?? 'no field'}`;
    const faults = faultsOf(object);
    if (faults.length > 0) expect(faults.some((fault) => fault.startsWith(field))).toBe(true);
  });
});
