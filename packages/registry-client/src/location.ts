/** Where a Location or a realm leads, or why it must not be followed. */
export type Destination =
  | { readonly kind: 'url'; readonly url: URL }
  | { readonly kind: 'insecure'; readonly host: string }
  | { readonly kind: 'malformed' };

/**
 * Resolves an address that a server gave against the URL that gave it. From https never down to http, unless the host
 * is listed: on the same host the scheme and port of `base` are kept, because a registry behind a TLS proxy often
 * names the address it listens on itself; another host is refused. User names inside the address are dropped.
 */
export function destinationOf(address: string, base: URL, isPlainHttp: (url: URL) => boolean): Destination {
  const url = URL.parse(address, base);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return { kind: 'malformed' };
  url.username = '';
  url.password = '';
  url.hash = '';
  if (url.protocol === 'https:' || base.protocol === 'http:' || isPlainHttp(url)) return { kind: 'url', url };
  if (url.hostname !== base.hostname) return { kind: 'insecure', host: url.host };
  url.protocol = base.protocol;
  url.port = base.port;
  return { kind: 'url', url };
}
