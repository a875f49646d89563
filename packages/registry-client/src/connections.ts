import { X509Certificate } from 'node:crypto';
import type { Readable } from 'node:stream';
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import { Agent, buildConnector, Pool, type Dispatcher } from 'undici';
import { isListed, settingsFor, type RegistryClientOptions } from './options.ts';

/** An idle connection is kept this long, unless the server announces less. */
const keepAliveTimeoutMs = 20_000;

/** The pooled connections of one client. */
export interface Connections {
  /** Those for a request with this body. */
  for(body: Uint8Array | Readable | undefined): Dispatcher;
  /** Ends all connections and what is under way on them. */
  close(): Promise<void>;
}

/**
 * Pools for each origin, HTTP/1.1, nothing repeated by itself. A CA bundle that changes counts from the next
 * connection on. Streamed bodies have connections of their own: they come out of an answer that holds a connection
 * until they are sent, so that with one pool copies could wait for each other for ever.
 */
export function createConnections(options: RegistryClientOptions): Connections {
  const trust = createTrust(options.readCa);
  const [usual, streaming] = [createAgent(options, trust), createAgent(options, trust)];
  return {
    for: (body) => (body === undefined || body instanceof Uint8Array ? usual : streaming),
    async close() {
      await Promise.all([usual.destroy(), streaming.destroy()]);
    },
  };
}

function createAgent(options: RegistryClientOptions, trust: () => SecureContext | undefined): Agent {
  return new Agent({
    factory: (origin) => {
      const url = new URL(origin);
      const settings = settingsFor(options, url);
      return new Pool(url, {
        connections: settings.maxConnectionsPerHost,
        pipelining: 1,
        allowH2: false,
        keepAliveTimeout: keepAliveTimeoutMs,
        connect: connectorFor(url, settings.connectTimeoutMs, options, trust),
      });
    },
  });
}

function connectorFor(
  url: URL,
  timeoutMs: number,
  options: RegistryClientOptions,
  trust: () => SecureContext | undefined,
): buildConnector.connector {
  const common = {
    timeout: timeoutMs,
    // Each address of a host gets a fair share: the default of 250 ms gives up on a distant first address.
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: Math.max(250, Math.floor(timeoutMs / 4)),
    rejectUnauthorized: !isListed(options.skipTlsVerifyHosts, url),
  };
  let current: { readonly context: SecureContext | undefined; readonly connect: buildConnector.connector } | undefined;
  return (target, callback) => {
    let context: SecureContext | undefined;
    try {
      context = url.protocol === 'https:' ? trust() : undefined;
    } catch (error) {
      // A CA bundle that can't be read, or is none, fails the connection and not the process.
      callback(Object.assign(new Error('CA bundle', { cause: error }), { code: 'CA_BUNDLE_UNUSABLE' }), null);
      return;
    }
    if (current?.context !== context || current === undefined) {
      const connect = buildConnector({ ...common, ...(context !== undefined && { secureContext: context }) });
      current = { context, connect };
    }
    current.connect(target, callback);
  };
}

/** The certificates to trust, made anew only when the extra bundle changes; undefined: those of the system alone. */
function createTrust(readCa: RegistryClientOptions['readCa']): () => SecureContext | undefined {
  let last: { readonly pem: string; readonly context: SecureContext } | undefined;
  return () => {
    const pem = readCa?.();
    if (pem === undefined || pem.trim() === '') return undefined;
    if (last?.pem !== pem) last = { pem, context: contextFrom(pem) };
    return last.context;
  };
}

/** Throws when the bundle holds anything but certificates: OpenSSL alone would pass over what it can't read. */
function contextFrom(pem: string): SecureContext {
  const added = pem.split(/(?=-----BEGIN)/).filter((block) => block.startsWith('-----BEGIN'));
  for (const block of added) new X509Certificate(block);
  if (added.length === 0) throw new Error('no certificate in the bundle');
  return createSecureContext({ ca: [...getCACertificates('default'), ...added] });
}
