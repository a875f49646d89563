import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** A user of a registry. */
export interface RegistryUser {
  readonly username: string;
  readonly password: string;
}

/** Debian's docker-registry, running on loopback with its storage in a folder of the test's. */
export interface DockerRegistry {
  readonly port: number;
  close(): Promise<void>;
}

/** Starts `docker-registry`, open or with one htpasswd user. */
export async function startDockerRegistry(folder: string, user: RegistryUser | undefined): Promise<DockerRegistry> {
  const port = await freePort();
  const root = join(folder, 'registry');
  mkdirSync(root);
  const config = join(folder, 'registry.yml');
  writeFileSync(config, configOf(port, root, user === undefined ? undefined : htpasswdFile(folder, user)));
  const child = spawn('docker-registry', ['serve', config], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  await untilAnswering(port);
  return {
    port,
    async close() {
      child.kill();
      await ended;
    },
  };
}

function configOf(port: number, root: string, htpasswd: string | undefined): string {
  return [
    'version: 0.1',
    'log: {level: error, accesslog: {disabled: true}}',
    `storage: {filesystem: {rootdirectory: ${root}}, delete: {enabled: true}}`,
    `http: {addr: "127.0.0.1:${port}"}`,
    ...(htpasswd === undefined ? [] : [`auth: {htpasswd: {realm: test, path: ${htpasswd}}}`]),
    '',
  ].join('\n');
}

function htpasswdFile(folder: string, { username, password }: RegistryUser): string {
  const file = join(folder, 'htpasswd');
  writeFileSync(file, execFileSync('htpasswd', ['-Bbn', username, password]));
  return file;
}

/** A free port below 32768, so that no outgoing connection takes it while the registry is down. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => {
        resolve(false);
      });
      server.listen(port, '127.0.0.1', () => {
        server.close(() => {
          resolve(true);
        });
      });
    });
    if (isFree) return port;
  }
}

async function untilAnswering(port: number): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const isUp = await fetch(`http://127.0.0.1:${port}/v2/`).then(
      () => true,
      () => false,
    );
    if (isUp) return;
    await delay(25);
  }
  throw new Error('docker-registry did not answer');
}
