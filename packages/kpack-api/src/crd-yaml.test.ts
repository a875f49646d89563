import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { crdManifests } from './crd-manifests.ts';
import { generateCrds } from './crd-yaml.ts';
import { type StructuralSchema } from './structural-schema.ts';
import { structuralFaults } from './testing/structural-faults.ts';

const folder = resolve(import.meta.dirname, '../../../deploy/crds');

interface Field {
  readonly path: string;
  readonly schema: StructuralSchema;
}
const fieldsOf = (schema: StructuralSchema, path: string): readonly Field[] => [
  { path, schema },
  ...Object.entries(schema.properties ?? {}).flatMap(([name, child]) => fieldsOf(child, `${path}.${name}`)),
  ...(schema.items === undefined ? [] : fieldsOf(schema.items, `${path}[]`)),
];
const kindOf = (manifest: object) => (manifest as { spec: { names: { kind: string } } }).spec.names.kind;
const allFields = crdManifests().flatMap((manifest) =>
  fieldsOf(manifest.spec.versions[0]!.schema.openAPIV3Schema, kindOf(manifest)),
);

describe('deploy/crds', () => {
  it('is what `npm run generate` writes, and holds nothing else', () => {
    const committed = new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
    expect(Object.fromEntries(committed)).toEqual(Object.fromEntries(generateCrds()));
  });

  it.each([...generateCrds()])('%s says the same as the manifest, without anchors', (_, text) => {
    const manifest = parse(text) as { metadata: { name: string } };
    expect(crdManifests()).toContainEqual(manifest);
    expect(text).not.toMatch(/[&*]a\d/);
  });
});

describe('the definitions', () => {
  it.each([
    ['Builder', 'Namespaced', 'builders', ['bldr', 'bldrs']],
    ['ClusterBuilder', 'Cluster', 'clusterbuilders', ['clstbldr', 'clstbldrs']],
    ['ClusterStore', 'Cluster', 'clusterstores', undefined],
    ['ClusterStack', 'Cluster', 'clusterstacks', undefined],
    ['ClusterLifecycle', 'Cluster', 'clusterlifecycles', undefined],
    ['Buildpack', 'Namespaced', 'buildpacks', ['bp', 'bps']],
    ['ClusterBuildpack', 'Cluster', 'clusterbuildpacks', ['clstbp', 'clstbps']],
  ])('name %s as kpack does', (kind, scope, plural, shortNames) => {
    const manifest = crdManifests().find((candidate) => kindOf(candidate) === kind);
    expect(manifest).toMatchObject({
      metadata: { name: `${plural}.kpack.io` },
      spec: { scope, names: { plural, categories: ['kpack'], singular: kind.toLowerCase() } },
    });
    expect(manifest?.spec.names).toHaveProperty('listKind', `${kind}List`);
    expect((manifest?.spec.names as { shortNames?: string[] }).shortNames).toEqual(shortNames);
  });

  it.each(crdManifests().map((manifest) => [kindOf(manifest), manifest] as const))(
    'show %s alike',
    (kind, manifest) => {
      const columns = manifest.spec.versions[0]!.additionalPrinterColumns;
      const shown = columns.filter(({ priority }) => (priority ?? 0) === 0).map(({ name }) => name);
      const image = kind.endsWith('Builder') ? ['LatestImage'] : [];
      expect(shown).toEqual(['Ready', 'UpToDate', 'Reason', 'Retries', 'Next-Retry', ...image, 'Age']);
      // A date column prints a time that lies ahead as <invalid>.
      expect(columns.find(({ name }) => name === 'Next-Retry')?.type).toBe('string');
    },
  );

  it('describe every field for kubectl explain', () => {
    const silent = allFields.filter(
      ({ path, schema }) => !path.endsWith('.metadata') && !path.endsWith('[]') && (schema['description'] ?? '') === '',
    );
    expect(silent.map(({ path }) => path)).toEqual([]);
  });

  it('give defaults that their own schema accepts', () => {
    const withDefault = allFields.filter(({ schema }) => schema['default'] !== undefined);
    expect(withDefault.map(({ path }) => path)).toContain('ClusterBuilder.spec.stack.kind');
    expect(withDefault.flatMap(({ path, schema }) => structuralFaults(schema, schema['default'], path))).toEqual([]);
  });

  it('give no default to Builder.spec.serviceAccountName, which would overrule the older field', () => {
    const field = allFields.find(({ path }) => path === 'Builder.spec.serviceAccountName');
    expect(field?.schema).not.toHaveProperty('default');
  });

  it.each(['Builder', 'ClusterStack'])('declare the status fields of ours in %s', (kind) => {
    const paths = allFields.map(({ path }) => path);
    expect(paths).toEqual(
      expect.arrayContaining([`${kind}.status.retry.nextAttemptTime`, `${kind}.status.lastHandledReconcileAt`]),
    );
    expect(paths.includes(`${kind}.status.inputsDigest`)).toBe(kind === 'Builder');
  });
});
