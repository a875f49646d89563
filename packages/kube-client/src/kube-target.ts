import type { RequestOptions } from 'node:https';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, dirname, resolve } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { parseYaml } from './yaml-text.ts';

/** What one request needs besides its address. Read anew for each, so that rotated files are picked up. */
export interface KubeCredentials {
  /** Authorization and impersonation headers. */
  readonly headers: Readonly<Record<string, string>>;
  readonly tls: TlsMaterial;
}

/** What a TLS connection to the server is made with. All absent: the system's own trust. */
export interface TlsMaterial {
  readonly ca?: string | Buffer;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  readonly servername?: string;
  readonly rejectUnauthorized?: boolean;
}

/** An API server and a way to be let in. */
export interface KubeTarget {
  /** Base URL, without a slash at its end; it may have a path. */
  readonly server: string;
  /** Namespace of the context, or of the pod; `default` when neither names one. */
  readonly namespace: string;
  /** HTTP proxy that the kubeconfig asks for. */
  readonly proxyUrl?: string;
  /**
   * May read files and start the exec plugin of the kubeconfig. Rejects with the signal's reason when it aborts first;
   * a plugin that hangs is then started again by the next call.
   */
  credentials(signal: AbortSignal): Promise<KubeCredentials>;
  /** Forgets cached tokens, because the server refused these: the next `credentials()` reads everything again. */
  refresh(refused: KubeCredentials): void;
}

/** Where to look for a cluster. */
export interface KubeTargetOptions {
  /** Path of a kubeconfig; before `KUBECONFIG` of `env`, before the service account of a pod. */
  readonly kubeconfig?: string;
  /** Context of the kubeconfig; its current one when absent. */
  readonly context?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Put before the paths of the files that a pod has mounted; for tests. */
  readonly podFilesRoot?: string;
}

/**
 * Finds the API server. All ways to authenticate that the official client knows work: tokens, token files, client
 * certificates, exec plugins, OIDC. Throws an Error for a person when there is no cluster or no such context.
 */
export function loadKubeTarget(options: KubeTargetOptions): KubeTarget {
  return new ConfiguredTarget(options);
}

class ConfiguredTarget implements KubeTarget {
  readonly server: string;
  readonly namespace: string;
  readonly proxyUrl?: string;
  readonly #options: KubeTargetOptions;
  readonly #context: string;
  #config: KubeConfig;
  #current: Promise<KubeCredentials> | undefined;
  /** What the latest configuration gave out: only a refusal of these is news. */
  #issued = new WeakSet<KubeCredentials>();

  constructor(options: KubeTargetOptions) {
    this.#options = options;
    this.#config = loadConfig(options);
    this.#context = this.#config.getCurrentContext();
    const cluster = clusterOf(this.#config);
    this.server = cluster.server.replace(/\/+$/, '');
    const namespace = this.#config.getContextObject(this.#context)?.namespace?.trim() ?? '';
    this.namespace = namespace === '' ? 'default' : namespace;
    if (cluster.proxyUrl) this.proxyUrl = cluster.proxyUrl;
  }

  async credentials(signal: AbortSignal): Promise<KubeCredentials> {
    signal.throwIfAborted();
    const stopped = Promise.withResolvers<never>();
    const onAbort = () => {
      this.#current = undefined;
      stopped.reject(signal.reason);
    };
    signal.addEventListener('abort', onAbort);
    try {
      return await Promise.race([this.#shared(), stopped.promise]);
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** One read at a time, so that a burst of requests starts an exec plugin once. */
  #shared(): Promise<KubeCredentials> {
    if (this.#current === undefined) {
      const current = this.#read().finally(() => {
        if (this.#current === current) this.#current = undefined;
      });
      this.#current = current;
    }
    return this.#current;
  }

  refresh(refused: KubeCredentials): void {
    if (!this.#issued.has(refused)) return;
    const config = loadConfig({ ...this.#options, context: this.#context });
    // A file that has come to mean another server must not send this server's requests there, nor its secrets here.
    if (clusterOf(config).server.replace(/\/+$/, '') !== this.server) return;
    this.#config = config;
    this.#issued = new WeakSet();
    this.#current = undefined;
  }

  async #read(): Promise<KubeCredentials> {
    const issued = this.#issued;
    const applied: RequestOptions & { servername?: string } = {};
    await this.#config.applyToHTTPSOptions(applied);
    const credentials = { headers: headersOf(applied), tls: tlsOf(applied) };
    issued.add(credentials);
    return credentials;
  }
}

function loadConfig(options: KubeTargetOptions): KubeConfig {
  const config = new KubeConfig();
  const files = filesOf(options);
  if (files.length > 0) loadFiles(config, files);
  else if (options.env['KUBERNETES_SERVICE_HOST']) config.loadFromCluster(options.podFilesRoot);
  else throw new Error('No cluster to talk to: give a kubeconfig, set KUBECONFIG, or run in a cluster');
  if (options.context !== undefined) config.setCurrentContext(options.context);
  // The official client refuses http:// unless TLS is skipped; without TLS there is nothing to skip.
  config.clusters = config.clusters.map((one) => (isPlain(one.server) ? { ...one, skipTLSVerify: true } : one));
  return config;
}

function filesOf({ kubeconfig = '', env }: KubeTargetOptions): readonly string[] {
  if (kubeconfig !== '') return [kubeconfig];
  const files = (env['KUBECONFIG'] ?? '').split(delimiter).filter((file) => file !== '');
  // As for kubectl: of a list, some may be missing.
  return files.length > 1 ? files.filter((file) => existsSync(file)) : files;
}

/** The first file that names something decides, as for kubectl. */
function loadFiles(config: KubeConfig, files: readonly string[]): void {
  const parts = files.map(loadFile);
  config.loadFromOptions({
    clusters: firstOfName(parts.flatMap((part) => part.clusters)),
    users: firstOfName(parts.flatMap((part) => part.users)),
    contexts: firstOfName(parts.flatMap((part) => part.contexts)),
    currentContext: parts.map((part) => part.currentContext).find(Boolean),
  });
}

function loadFile(file: string): KubeConfig {
  const part = new KubeConfig();
  try {
    part.loadFromFile(file);
    part.users = withTokenFiles(part.users, file);
  } catch (error) {
    throw new Error(`Cannot read the kubeconfig ${file}`, { cause: error });
  }
  return part;
}

/** The official client does not read `tokenFile` of a kubeconfig, but knows how to follow the token of a pod. */
function withTokenFiles(users: KubeConfig['users'], file: string): KubeConfig['users'] {
  const raw = parseYaml(readFileSync(file, 'utf8')) as
    { users?: { name: string; user?: { tokenFile?: string } }[] } | undefined;
  return users.map((user) => {
    const tokenFile = raw?.users?.find((one) => one.name === user.name)?.user?.tokenFile;
    if (tokenFile === undefined) return user;
    const config = { tokenFile: resolve(dirname(file), tokenFile) };
    // Empty, because a token would win over the file; for kubectl it is the file that wins.
    return { ...user, token: '', authProvider: { name: 'tokenFile', config } };
  });
}

function firstOfName<T extends { readonly name: string }>(all: readonly T[]): T[] {
  return all.filter((one, at) => all.findIndex((other) => other.name === one.name) === at);
}

function clusterOf(config: KubeConfig) {
  const cluster = config.getCurrentCluster();
  if (cluster !== null) return cluster;
  const known = config.contexts.map((one) => one.name).join(', ');
  throw new Error(`The kubeconfig has no context ${config.getCurrentContext()} with a cluster; it has: ${known}`);
}

function isPlain(server: string): boolean {
  return server.startsWith('http:');
}

function headersOf(applied: RequestOptions): Record<string, string> {
  const given = Object.entries(applied.headers ?? {}).map(([name, value]) => [
    name.toLowerCase(),
    // A token file ends with a line feed; a header must not.
    String(value).trim(),
  ]);
  const headers = Object.fromEntries(given) as Record<string, string>;
  if (applied.auth) headers['authorization'] ??= `Basic ${Buffer.from(applied.auth).toString('base64')}`;
  return headers;
}

function tlsOf({ ca, cert, key, servername, rejectUnauthorized }: RequestOptions & { servername?: string }) {
  return {
    ...(ca ? { ca: ca as Buffer } : {}),
    ...(cert ? { cert: cert as Buffer } : {}),
    ...(key ? { key: key as Buffer } : {}),
    ...(servername ? { servername } : {}),
    ...(rejectUnauthorized === undefined ? {} : { rejectUnauthorized }),
  };
}
