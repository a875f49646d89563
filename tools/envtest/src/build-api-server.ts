import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { cacheFolder, type Environment, findProgram } from './find-programs.ts';
import { serverVersion } from './server-version.ts';

const module = join(import.meta.dirname, '../apiserver');
const progressEveryMs = 15_000;

/** What a build needs of its surroundings. */
export interface BuildOptions {
  readonly env: Environment;
  /** Called with each line of progress, every 15 s and at both ends. */
  readonly say: (line: string) => void;
}

/**
 * Builds kube-apiserver from its Go module into the cache, and answers its path. Minutes where the Go build cache is
 * cold. Throws an Error when there is no `go`, or with the last words of a build that failed.
 */
export async function buildApiServer({ env, say }: BuildOptions): Promise<string> {
  const go = findProgram('go', env);
  if (go === undefined) throw new Error('kube-apiserver is built with Go, and there is no go on the PATH');
  const folder = cacheFolder(env);
  mkdirSync(folder, { recursive: true });
  const unfinished = join(folder, `kube-apiserver.${process.pid}`);
  const finished = join(folder, 'kube-apiserver');
  say(`building kube-apiserver ${serverVersion} with Go; this takes minutes, once a machine`);
  const startMs = performance.now();
  const secondsSince = () => Math.round((performance.now() - startMs) / 1000);
  const child = spawn(go, buildArguments(unfinished), {
    cwd: module,
    env: { ...env, CGO_ENABLED: '0' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const seen = listen(child);
  const timer = setInterval(() => {
    say(`${secondsSince()} s: ${seen.packages} packages compiled, now at ${seen.last.at(-1) ?? 'reading modules'}`);
  }, progressEveryMs);
  const [code] = (await once(child, 'close').finally(() => {
    clearInterval(timer);
  })) as [number | null];
  if (code !== 0) {
    rmSync(unfinished, { force: true });
    throw new Error(`go build of kube-apiserver failed:\n${seen.last.join('\n')}`);
  }
  // By rename, so that nobody starts half a program and two builds at once do no harm.
  renameSync(unfinished, finished);
  say(`built ${finished} in ${secondsSince()} s`);
  return finished;
}

/** The version is linked in: without it the server calls itself by a name that clients can't parse. */
function buildArguments(output: string): string[] {
  const [major = '', minor = ''] = serverVersion.slice(1).split('.');
  const linked = {
    gitVersion: serverVersion,
    gitMajor: major,
    gitMinor: minor,
    gitTreeState: 'clean',
    gitCommit: '0'.repeat(40),
    buildDate: '1970-01-01T00:00:00Z',
  };
  const flags = Object.entries(linked).map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`);
  const ldflags = ['-s', '-w', ...flags].join(' ');
  return ['build', '-v', '-trimpath', '-ldflags', ldflags, '-o', output, 'k8s.io/kubernetes/cmd/kube-apiserver'];
}

/** Counts the packages that `go build -v` names, and keeps its last lines. */
function listen(child: ChildProcess): { packages: number; readonly last: string[] } {
  const seen = { packages: 0, last: [] as string[] };
  if (child.stderr === null) return seen;
  createInterface({ input: child.stderr }).on('line', (line) => {
    if (!line.startsWith('go: ')) seen.packages += 1;
    seen.last.push(line);
    if (seen.last.length > 20) seen.last.shift();
  });
  return seen;
}
