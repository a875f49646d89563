import { accessSync, constants, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { serverVersion } from './server-version.ts';

/** The environment variables that say where programs are. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Where the two programs of a control plane are. */
export interface ServerPrograms {
  readonly apiServer: string;
  readonly etcd: string;
}

/** Programs, or the sentence that says why there are none and what to do. */
export type FoundPrograms = { readonly programs: ServerPrograms } | { readonly reason: string };

/** The folder in which a built kube-apiserver is kept, outside the repository and once a machine. */
export function cacheFolder(env: Environment): string {
  const cache = env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  return join(cache, 'buildkeeper', 'envtest', serverVersion);
}

/** The first that exists of: KUBEBUILDER_ASSETS, the cache, PATH. */
export function findProgram(name: string, env: Environment): string | undefined {
  const assets = env['KUBEBUILDER_ASSETS'];
  const folders = [
    ...(assets === undefined ? [] : [assets]),
    cacheFolder(env),
    ...(env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== ''),
  ];
  return folders.map((folder) => join(folder, name)).find(isProgram);
}

/** Finds kube-apiserver and etcd without building anything. */
export function findPrograms(env: Environment): FoundPrograms {
  const etcd = findProgram('etcd', env);
  if (etcd === undefined) return { reason: 'there is no etcd: install etcd-server' };
  const apiServer = findProgram('kube-apiserver', env);
  if (apiServer !== undefined) return { programs: { apiServer, etcd } };
  return { reason: 'there is no kube-apiserver: run npx node tools/envtest/src/main.ts --build' };
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    // Absent, or not ours to start: both mean that the next folder is asked.
    return false;
  }
}
