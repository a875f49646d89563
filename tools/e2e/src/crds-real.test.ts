import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ApiResponse, type RealCluster } from '@buildkeeper/envtest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeSharedRealCluster, installCrds, realApiServer, sharedRealCluster } from './real-api.ts';
import { readYamlObjects, type YamlObject } from './testing/yaml-objects.ts';

const testData = join(import.meta.dirname, '../../../packages/kpack-api/testdata');
const objectsOf = (file: string) => readYamlObjects(readFileSync(join(testData, file), 'utf8'));
const stored = objectsOf('stored-by-kpack.yaml');
const manifests = objectsOf('manifests.yaml');
const refused = objectsOf('refused.yaml');

describe.skipIf(realApiServer.isSkipped)(`the CustomResourceDefinitions, ${realApiServer.title}`, () => {
  let cluster: RealCluster;
  let warnings: readonly string[];
  // Of fields that the schema does not know the server only warns: another release has stored them.
  const send = (method: string, path: string, body: string) =>
    cluster.request(method, `${path}?fieldValidation=Warn`, { body, contentType: 'application/yaml' });
  const create = (object: YamlObject) => send('POST', object.collection, object.text);

  beforeAll(async () => {
    cluster = await sharedRealCluster();
    warnings = await installCrds(cluster);
    for (const name of new Set([...stored, ...manifests].map((object) => object.namespace))) {
      if (name === undefined) continue;
      const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
      await cluster.request('POST', '/api/v1/namespaces', { body });
    }
  });
  afterAll(closeSharedRealCluster);

  it('are taken without a warning, and are served', () => {
    expect(warnings).toEqual([]);
  });

  it('have nothing that the server finds wrong with their schemas or names', async () => {
    const { body } = await cluster.request('GET', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions');
    const { items } = body as { items: { status: { conditions: { type: string; status: string }[] } }[] };
    expect(items).toHaveLength(7);
    for (const { status } of items) {
      const held = status.conditions.filter((condition) => condition.status === 'True').map(({ type }) => type);
      expect(held.sort()).toEqual(['Established', 'NamesAccepted']);
    }
  });

  it.each(stored)('take what kpack has stored: $title, its status too', async (object) => {
    const later = object.text.includes('fieldOfALaterRelease') ? ['unknown field "status.fieldOfALaterRelease"'] : [];
    const created = await create(object);
    expect(created).toMatchObject({ status: 201, warnings: later });
    const version = (created.body as { metadata: { resourceVersion: string } }).metadata.resourceVersion;
    const withStatus = object.text.replace('metadata: {', `metadata: { resourceVersion: '${version}',`);
    expect(withStatus).not.toBe(object.text);
    expect(await send('PUT', `${object.path}/status`, withStatus)).toMatchObject({ status: 200, warnings: later });
    // Manifests of the same name come after it.
    await cluster.request('DELETE', object.path);
  });

  it.each(manifests)('take a manifest that was written for kpack: $title', async (object) => {
    expect(await create(object)).toMatchObject({ status: 201, warnings: [] });
  });

  it.each(refused)('refuse $title, and name $field', async (object) => {
    const response = await create(object);
    expect(response.status).toBe(422);
    expect(fieldsIn(response).some((field) => field.startsWith(object.field ?? 'no field'))).toBe(true);
  });
});

/** The fields that a refusal speaks about. */
function fieldsIn({ body }: ApiResponse): readonly string[] {
  const { details } = body as { details?: { causes?: { field?: string }[] } };
  return (details?.causes ?? []).map(({ field = '' }) => field);
}
