import { type Exchange, jsonReply, methodNotAllowed, type Reply } from './exchange.ts';
import { OciError } from './oci-error.ts';
import { type RegistryStore } from './registry-store.ts';

/** Answers `/v2/_catalog`, in pages when asked with `n`. */
export function handleCatalog(store: RegistryStore, exchange: Exchange): Reply {
  if (exchange.method !== 'GET') return methodNotAllowed('GET');
  const { items, headers } = page(store.repositories(), exchange, '/v2/_catalog');
  return { status: 200, ...jsonReply({ repositories: items }, headers) };
}

/** Answers `/tags/list`, in pages when asked with `n`. */
export function handleTags(store: RegistryStore, exchange: Exchange, repository: string): Reply {
  if (exchange.method !== 'GET') return methodNotAllowed('GET');
  if (!store.hasRepository(repository)) throw new OciError({ code: 'NAME_UNKNOWN', detail: { name: repository } });
  const { items, headers } = page(store.tags(repository), exchange, `/v2/${repository}/tags/list`);
  return { status: 200, ...jsonReply({ name: repository, tags: items }, headers) };
}

function page(
  all: readonly string[],
  { query }: Exchange,
  path: string,
): { items: string[]; headers: Record<string, string> } {
  const last = query.get('last') ?? '';
  const rest = all.filter((item) => item > last);
  const size = Number.parseInt(query.get('n') ?? '', 10);
  if (!(size > 0) || rest.length <= size) return { items: rest, headers: {} };
  const items = rest.slice(0, size);
  const next = new URLSearchParams({ last: items.at(-1) ?? '', n: size.toString() });
  return { items, headers: { Link: `<${path}?${next.toString()}>; rel="next"` } };
}
