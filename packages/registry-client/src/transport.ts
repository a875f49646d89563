import { createConnections } from './connections.ts';
import { exchange, type WireRequest } from './exchange.ts';
import { isListed, type RegistryClientOptions } from './options.ts';
import { followRedirects } from './redirects.ts';
import type { WireResponse } from './response.ts';

/** Sends requests, follows redirects, and reports every exchange. Judges nothing. */
export interface Transport {
  /** Any status is an answer. Throws WireFault, or the RegistryError of a body that could not be opened or read. */
  send(request: WireRequest): Promise<WireResponse>;
  isPlainHttp(url: URL): boolean;
  close(): Promise<void>;
}

/** The transport of one client. */
export function createTransport(options: RegistryClientOptions): Transport {
  const connections = createConnections(options);
  const isPlainHttp = (url: URL) => isListed(options.plainHttpHosts, url);
  return {
    isPlainHttp,
    send: (request) => followRedirects(request, isPlainHttp, (hop) => exchange(hop, connections, options)),
    close: () => connections.close(),
  };
}
