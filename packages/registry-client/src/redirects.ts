import { WireFault, type RegistryFault } from './errors.ts';
import type { WireRequest } from './exchange.ts';
import { destinationOf, type Destination } from './location.ts';
import type { WireResponse } from './response.ts';

const maxRedirects = 5;

/**
 * Sends a request, and again wherever it is sent on to, at most five times. By hand, so that a failure of the storage
 * behind a registry is told from one of the registry. Across origins the Authorization header stays behind.
 * Throws WireFault for a loop, an unusable address and plain HTTP that is not permitted.
 */
export async function followRedirects(
  request: WireRequest,
  isPlainHttp: (url: URL) => boolean,
  send: (request: WireRequest) => Promise<WireResponse>,
): Promise<WireResponse> {
  const visited = new Set<string>();
  let hop = request;
  for (;;) {
    visited.add(hop.url.href);
    const response = await send(hop);
    const location = response.header('location');
    if (location === undefined || !isRedirect(response.status, hop.method)) return response;
    await response.discard();
    const next = nextUrl(destinationOf(location, hop.url, isPlainHttp), visited);
    if (!(next instanceof URL)) throw new WireFault(next, response.site);
    hop = redirected(hop, next, request);
  }
}

function isRedirect(status: number, method: string): boolean {
  if (status === 307 || status === 308) return true;
  // The older statuses let a client change the method, so they are followed only where it does not matter.
  return (method === 'GET' || method === 'HEAD') && (status === 301 || status === 302 || status === 303);
}

function nextUrl(destination: Destination, visited: ReadonlySet<string>): URL | RegistryFault {
  if (destination.kind === 'insecure') return destination;
  if (destination.kind === 'malformed') return unexpected('a redirect to an unusable address');
  if (visited.has(destination.url.href)) return unexpected('a redirect loop');
  return visited.size > maxRedirects ? unexpected(`more than ${maxRedirects} redirects`) : destination.url;
}

function unexpected(what: string): RegistryFault {
  return { kind: 'unexpected', detail: `answered with ${what}` };
}

function redirected(hop: WireRequest, url: URL, first: WireRequest): WireRequest {
  const headers = { ...hop.headers };
  if (url.origin !== hop.url.origin) delete headers['authorization'];
  const role = first.role === 'registry' && url.origin !== first.url.origin ? 'storage' : first.role;
  return { ...hop, url, headers, role };
}
