import type { Clock, FailureReason, Pace, Random } from '@buildkeeper/retry-policy';
import type { RegistryOperation } from './errors.ts';
import { canonicalRegistry } from './reference.ts';

/** Told what happens on the wire. Must not throw. */
export interface RegistryObserver {
  /** Once for each HTTP exchange. `code` is the HTTP status, or `<error>` when the exchange broke at any point. */
  requestFinished(seen: {
    readonly host: string;
    readonly operation: RegistryOperation;
    readonly code: string;
    readonly durationMs: number;
  }): void;
  /** Once for each wait before a request is tried again inside the same call. */
  retryScheduled(seen: { readonly host: string; readonly reason: FailureReason; readonly delayMs: number }): void;
}

/** Time-outs of one HTTP exchange, attempts of a request, and connections of one host. */
export interface HostSettings {
  /** Until TCP and TLS are up. Default 5 s. */
  readonly connectTimeoutMs?: number;
  /** From the end of the request to the head of the response. Default 30 s. */
  readonly headersTimeoutMs?: number;
  /** Longest silence inside a body. Default 30 s. */
  readonly bodyTimeoutMs?: number;
  /** Whole exchange, body included. Default: no limit but the caller's signal. */
  readonly totalTimeoutMs?: number;
  /** Attempts of one request in all, from 1. Default 3. */
  readonly requestAttempts?: number;
  /** Default 10. */
  readonly maxConnectionsPerHost?: number;
}

/** Sizes, in bytes, beyond which content is refused unread. */
export interface ContentLimits {
  /** Default 4 MiB, which is what registries accept. */
  readonly manifestBytes?: number;
  /** Default 8 MiB. */
  readonly configBytes?: number;
  /** How much of an error's body is read. Default 8 KiB. */
  readonly errorBodyBytes?: number;
  /** Manifests and configs that are kept, by digest. Default 16 MiB. */
  readonly cacheBytes?: number;
}

/** Everything a registry client is made of. */
export interface RegistryClientOptions extends HostSettings {
  readonly clock: Clock;
  readonly random: Random;
  readonly observer?: RegistryObserver;
  readonly requestPace?: Pace;
  /** Hosts, as `host` (any port) or `host:port`, that are spoken to without TLS. Nothing is implied, loopback neither. */
  readonly plainHttpHosts?: readonly string[];
  /** Hosts, as `host` or `host:port`, whose certificate is not verified. */
  readonly skipTlsVerifyHosts?: readonly string[];
  /** PEM certificates trusted besides those of the system. Asked for each new connection, so it should be cheap. */
  readonly readCa?: () => string | undefined;
  readonly userAgent?: string;
  /** Settings of single hosts, by `host` or `host:port`. */
  readonly hostOverrides?: Readonly<Record<string, HostSettings>>;
  readonly limits?: ContentLimits;
}

/** Whether a URL's host is meant by an entry of a list: `host` means every port, `host:port` that port. */
export function isListed(list: readonly string[] | undefined, url: URL): boolean {
  return (list ?? []).some((entry) => namesHost(entry, url));
}

/** The settings that hold for the host of a URL, defaults filled in. */
export function settingsFor(
  options: RegistryClientOptions,
  url: URL,
): Required<Omit<HostSettings, 'totalTimeoutMs'>> & Pick<HostSettings, 'totalTimeoutMs'> {
  const overrides = Object.entries(options.hostOverrides ?? {}).find(([entry]) => namesHost(entry, url))?.[1];
  const total = overrides?.totalTimeoutMs ?? options.totalTimeoutMs;
  return {
    connectTimeoutMs: overrides?.connectTimeoutMs ?? options.connectTimeoutMs ?? 5000,
    headersTimeoutMs: overrides?.headersTimeoutMs ?? options.headersTimeoutMs ?? 30_000,
    bodyTimeoutMs: overrides?.bodyTimeoutMs ?? options.bodyTimeoutMs ?? 30_000,
    requestAttempts: overrides?.requestAttempts ?? options.requestAttempts ?? 3,
    maxConnectionsPerHost: overrides?.maxConnectionsPerHost ?? options.maxConnectionsPerHost ?? 10,
    ...(total !== undefined && { totalTimeoutMs: total }),
  };
}

function namesHost(entry: string, url: URL): boolean {
  const listed = canonicalRegistry(entry);
  const port = url.port === '' ? (url.protocol === 'http:' ? '80' : '443') : url.port;
  return [url.hostname, url.host, `${url.hostname}:${port}`].some((host) => canonicalRegistry(host) === listed);
}
