/** Where a Location or a realm leads, or why it must not be followed. */
export type Destination =
  | { readonly kind: 'url'; readonly url: URL }
  | { readonly kind: 'insecure'; readonly host: string }
  | { readonly kind: 'malformed' };

/**
 * Resolves an address that a server gave against the URL that gave it. Plain HTTP is followed only to hosts that are
 * listed, or on a host that is spoken to so already. From https to http on the same host, the scheme and port of
 * `base` are kept, because a registry behind a TLS proxy often names the address it listens on itself.
 * User names inside the address are dropped.
 */
export function destinationOf(address: string, base: URL, isPlainHttp: (url: URL) => boolean): Destination {
  const url = URL.parse(address, base);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return { kind: 'malformed' };
  url.username = '';
  url.password = '';
  url.hash = '';
  if (url.protocol === 'https:' || isPlainHttp(url)) return { kind: 'url', url };
  if (url.hostname !== base.hostname) return { kind: 'insecure', host: url.host };
  if (base.protocol === 'http:') return { kind: 'url', url };
  url.protocol = base.protocol;
  url.port = base.port;
  return { kind: 'url', url };
}
