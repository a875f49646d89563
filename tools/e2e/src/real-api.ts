import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { findPrograms, startRealCluster, type ApiResponse, type RealCluster } from '@buildkeeper/envtest';
import { crdManifests } from '@buildkeeper/kpack-api';
import { collectionOf, type ApiUnderTest } from './api-under-test.ts';

const found = findPrograms(process.env);
const isSkipped = 'reason' in found && process.env['CI'] === undefined;

/**
 * Whether, and under what name, the tests against a real API server run. Where there is none the name says why they
 * are skipped; where `CI` is set they run all the same, and fail with that reason.
 */
export const realApiServer: { readonly isSkipped: boolean; readonly title: string } = {
  isSkipped,
  title: `against a real API server${isSkipped && 'reason' in found ? ` (skipped: ${found.reason})` : ''}`,
};

let shared: Promise<RealCluster> | undefined;

/** The real API server of this test file, started when first asked for. Rejects with the reason when there is none. */
export function sharedRealCluster(): Promise<RealCluster> {
  shared ??= 'reason' in found ? Promise.reject(new Error(found.reason)) : startRealCluster(found.programs);
  return shared;
}

/** Ends the server of this test file. */
export async function closeSharedRealCluster(): Promise<void> {
  const cluster = await shared?.catch(() => undefined);
  shared = undefined;
  await cluster?.close();
}

/** The real API server of this test file with the kpack.io kinds and no objects of them. */
export async function useRealApi(): Promise<ApiUnderTest> {
  const cluster = await sharedRealCluster();
  await installCrds(cluster);
  return {
    kubeconfig: cluster.kubeconfig,
    async apply(object) {
      const collection = collectionOf(object);
      const created = await cluster.request('POST', collection, { body: object });
      if (created.status !== 409) {
        expectAnswer(created, 201);
        return;
      }
      const contentType = 'application/merge-patch+json';
      const path = `${collection}/${object.metadata.name}`;
      expectAnswer(await cluster.request('PATCH', path, { body: object, contentType }), 200);
    },
    async get(path) {
      const response = await cluster.request('GET', path);
      expectAnswer(response, 200);
      return response.body as Readonly<Record<string, unknown>>;
    },
    statusWrites: () => statusWritesIn(cluster.auditLogFile),
    close: () => clear(cluster),
  };
}

/** Creates the CustomResourceDefinitions, answers what the server warned of, and waits until all kinds are served. */
export async function installCrds({ request }: RealCluster): Promise<readonly string[]> {
  const collection = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const warnings: string[] = [];
  for (const body of crdManifests()) {
    const created = await request('POST', collection, { body });
    if (created.status !== 409) expectAnswer(created, 201);
    warnings.push(...created.warnings);
  }
  for (const { metadata, spec } of crdManifests()) {
    const plural = metadata.name.replace(`.${spec.group}`, '');
    const path = `/apis/${spec.group}/${spec.versions[0]?.name ?? ''}/${plural}`;
    for (let status = 0; status !== 200;) {
      ({ status } = await request('GET', path));
      if (status !== 200) await delay(50);
    }
  }
  return warnings;
}

function expectAnswer({ status, body }: ApiResponse, expected: number): void {
  if (status !== expected) throw new Error(`The API server answered ${status}: ${JSON.stringify(body)}`);
}

/** A line of the audit log, as far as it is read: one request and its answer. */
export interface AuditEvent {
  readonly verb: string;
  readonly requestURI: string;
  readonly userAgent?: string;
  readonly objectRef?: { readonly apiGroup?: string; readonly resource?: string; readonly subresource?: string };
  readonly responseStatus?: { readonly code?: number; readonly message?: string };
}

/** All requests that a real API server has answered. */
export function readAuditLog(auditLogFile: string): readonly AuditEvent[] {
  // The last line may just be being written.
  const lines = readFileSync(auditLogFile, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as AuditEvent);
}

function statusWritesIn(auditLogFile: string): number {
  return readAuditLog(auditLogFile).filter(
    ({ verb, objectRef }) =>
      verb === 'patch' && objectRef?.apiGroup === 'kpack.io' && objectRef.subresource === 'status',
  ).length;
}

/** Deletes what a world has made; the next one names its objects alike. */
async function clear({ request }: RealCluster): Promise<void> {
  const namespaced = [
    ...['/apis/kpack.io/v1alpha2/namespaces/default/builders', '/api/v1/namespaces/default/secrets'],
    ...['/apis/coordination.k8s.io/v1/namespaces/default/leases', '/apis/events.k8s.io/v1/namespaces/default/events'],
  ];
  const global = ['clusterbuilders', 'clusterstores', 'clusterstacks', 'clusterlifecycles'];
  for (const path of [...namespaced, ...global.map((plural) => `/apis/kpack.io/v1alpha2/${plural}`)]) {
    expectAnswer(await request('DELETE', path), 200);
  }
}
