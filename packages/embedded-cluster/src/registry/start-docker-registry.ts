import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listenOnLoopback } from '../listen.ts';
import { type RegistryUsers } from './authority.ts';

const program = '/usr/bin/docker-registry';

/** A real registry in a process of its own, with its files in a temporary folder. */
export interface DockerRegistry {
  /** `127.0.0.1:PORT`. */
  readonly host: string;
  readonly port: number;
  readonly url: string;
  /** Ends the process and removes the files. */
  close(): Promise<void>;
}

/**
 * Starts Debian's docker-registry, open, or for these users with basic access. Undefined where it isn't installed; throws where
 * it is and does not come up within 10 s. Users need `htpasswd` (apache2-utils).
 */
export async function startDockerRegistry(
  options: { readonly users?: RegistryUsers } = {},
): Promise<DockerRegistry | undefined> {
  if (!existsSync(program)) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'docker-registry-'));
  const port = await freePort();
  await writeFile(join(folder, 'htpasswd'), htpasswd(options.users ?? {}));
  await writeFile(join(folder, 'config.yml'), configuration(folder, port, options.users !== undefined));
  const child = spawn(program, ['serve', join(folder, 'config.yml')], { stdio: 'ignore' });
  const close = async () => {
    await stop(child);
    await rm(folder, { recursive: true, force: true });
  };
  if (await answers(port, child)) return { host: `127.0.0.1:${port}`, port, url: `http://127.0.0.1:${port}`, close };
  await close();
  throw new Error('docker-registry did not answer within 10 s');
}

function configuration(folder: string, port: number, hasUsers: boolean): string {
  return `version: 0.1
log: {level: error, accesslog: {disabled: true}}
storage:
  filesystem: {rootdirectory: ${join(folder, 'data')}}
  delete: {enabled: true}
http: {addr: '127.0.0.1:${port}'}
${hasUsers ? `auth: {htpasswd: {realm: basic-realm, path: ${join(folder, 'htpasswd')}}}` : ''}
`;
}

function htpasswd(users: RegistryUsers): string {
  return Object.entries(users)
    .map(([name, password]) => execFileSync('htpasswd', ['-bnBC', '4', name, password], { encoding: 'utf8' }).trim())
    .join('\n');
}

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listenOnLoopback(server);
  const closed = once(server, 'close');
  server.close();
  await closed;
  return port;
}

async function answers(port: number, child: ChildProcess): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < 10_000 && child.exitCode === null; waitedMs += 20) {
    const isUp = await new Promise<boolean>((resolve) => {
      const ping = request({ host: '127.0.0.1', port, path: '/v2/', agent: false }, (response) => {
        response.resume();
        resolve(true);
      });
      ping.on('error', () => {
        setTimeout(resolve, 20, false);
      });
      ping.end();
    });
    if (isUp) return true;
  }
  return false;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
