import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type ApiAccess, openApiAccess } from './api-access.ts';
import { type ClusterFiles, writeClusterFiles } from './cluster-files.ts';
import { apiServerArguments, etcdArguments } from './control-plane-arguments.ts';
import { type ServerPrograms } from './find-programs.ts';
import { freePort } from './free-port.ts';
import { kubeconfigText } from './kubeconfig.ts';
import { type ServerProcess, startServerProcess } from './server-process.ts';

/** A kube-apiserver and an etcd of their own on 127.0.0.1. No controller manager, no scheduler, no nodes. */
export interface RealCluster {
  /** `https://127.0.0.1:PORT`. */
  readonly url: string;
  /** A kubeconfig of an administrator, as YAML. */
  readonly kubeconfig: string;
  /** File with one JSON object of `audit.k8s.io/v1` a line for each request, written when its answer is complete. */
  readonly auditLogFile: string;
  /** Requests as the administrator. */
  readonly request: ApiAccess['request'];
  /** Ends both servers and removes their files. */
  close(): Promise<void>;
}

const patience = { readyMs: 90_000, apiServerStopMs: 3000, etcdStopMs: 2000 };

/** Starts a cluster with the namespace `default` and its ServiceAccount. Throws with the log's end when a server does not come up within 90 s. */
export async function startRealCluster(programs: ServerPrograms): Promise<RealCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'buildkeeper-envtest-'));
  const token = randomBytes(16).toString('hex');
  const files = writeClusterFiles(folder, token);
  const [etcdPort, peerPort, port] = [await freePort(), await freePort(), await freePort()];
  const etcdUrl = `http://127.0.0.1:${etcdPort}`;
  const url = `https://127.0.0.1:${port}`;
  const etcd = startServerProcess(programs.etcd, etcdArguments(files, etcdPort, peerPort), files.etcdLog);
  const apiServer = startServerProcess(
    programs.apiServer,
    apiServerArguments(files, etcdUrl, port),
    files.apiServerLog,
  );
  const stop = async () => {
    await apiServer.stop(patience.apiServerStopMs);
    await etcd.stop(patience.etcdStopMs);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const ca = await certificateOf(files, [etcd, apiServer]);
    const access = openApiAccess({ url, ca, token });
    await untilReady(access, [etcd, apiServer]);
    return {
      url,
      kubeconfig: kubeconfigText({ url, ca, token }),
      auditLogFile: files.auditLog,
      request: (...args) => access.request(...args),
      async close() {
        access.close();
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The certificate that the server makes at its start, and trusts itself by. */
async function certificateOf(files: ClusterFiles, servers: readonly ServerProcess[]): Promise<string> {
  // The key is written after the certificate: when it is there, the certificate is whole.
  const key = join(files.certificates, 'apiserver.key');
  await until('has made its certificate', servers, () => Promise.resolve(existsSync(key)));
  return readFileSync(join(files.certificates, 'apiserver.crt'), 'utf8');
}

async function untilReady(access: ApiAccess, servers: readonly ServerProcess[]): Promise<void> {
  const statusOf = async (path: string) => (await access.request('GET', path)).status;
  await until('is ready', servers, async () => (await statusOf('/readyz')) === 200);
  await until('has the namespace default', servers, async () => (await statusOf('/api/v1/namespaces/default')) === 200);
  const body = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } };
  const { status } = await access.request('POST', '/api/v1/namespaces/default/serviceaccounts', { body });
  if (status !== 201) throw new Error(`kube-apiserver answered ${status} to the ServiceAccount default`);
}

/** Asks until the answer is yes. A question that fails is asked again while the servers run: they are just coming up. */
async function until(what: string, servers: readonly ServerProcess[], ask: () => Promise<boolean>): Promise<void> {
  const endMs = performance.now() + patience.readyMs;
  while (performance.now() < endMs) {
    const ended = servers.find((server) => !server.isRunning());
    if (ended !== undefined) throw new Error(`A server ended before kube-apiserver ${what}:\n${ended.lastWords()}`);
    if (await ask().catch(() => false)) return;
    await delay(50);
  }
  const words = servers.map((server) => server.lastWords()).join('\n');
  throw new Error(`Not within ${patience.readyMs} ms: kube-apiserver ${what}\n${words}`);
}
