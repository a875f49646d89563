/** Where a server listens. Without a host: every address, IPv4 and IPv6. */
export interface HttpAddress {
  readonly host: string | undefined;
  /** 0 lets the system choose. */
  readonly port: number;
}

/** Reads `:8080`, `127.0.0.1:8080`, `[::1]:8080`; undefined when the text is none of these. */
export function parseHttpAddress(text: string): HttpAddress | undefined {
  const [, bracketed, plain, port] = /^(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9.-]*)):(\d{1,5})$/.exec(text) ?? [];
  if (port === undefined || Number(port) > 65_535) return undefined;
  const host = bracketed ?? plain;
  return { host: host === '' ? undefined : host, port: Number(port) };
}

/** The URL under which this machine reaches a server. A server on every address is reached as `localhost`. */
export function urlOf({ host, port }: HttpAddress): string {
  const name = host === undefined || host === '::' || host === '0.0.0.0' ? 'localhost' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
