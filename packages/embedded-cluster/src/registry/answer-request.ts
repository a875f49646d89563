import { type Authority } from './authority.ts';
import { handleBlob } from './blobs.ts';
import { type Exchange, jsonReply, methodNotAllowed, type Reply } from './exchange.ts';
import { handleCatalog, handleTags } from './listings.ts';
import { handleManifest } from './manifests.ts';
import { OciError } from './oci-error.ts';
import { type RegistryStore } from './registry-store.ts';
import { type Route, routeOf } from './route.ts';
import { type Uploads } from './uploads.ts';

/** What requests are answered from. */
export interface RegistryParts {
  readonly store: RegistryStore;
  readonly uploads: Uploads;
  readonly authority: Authority;
}

/** Answers any request: access is judged first, then the method and what the path names. */
export async function answerRequest(parts: RegistryParts, path: string, exchange: Exchange): Promise<Reply> {
  try {
    return await replyTo(parts, path, exchange);
  } catch (error) {
    if (error instanceof OciError) return { status: error.status, ...jsonReply(error.body(), error.headers) };
    const problem = { code: 'UNKNOWN', message: 'unknown error', detail: String(error) };
    return { status: 500, ...jsonReply({ errors: [problem] }) };
  }
}

async function replyTo(parts: RegistryParts, path: string, exchange: Exchange): Promise<Reply> {
  if (path === '/') return { status: 200, headers: { 'Cache-Control': 'no-cache', 'Content-Length': 0 } };
  if (path === '/v2') return { status: 301, headers: { Location: '/v2/', 'Content-Length': 0 } };
  if (path === '/token') return await parts.authority.giveToken(exchange);
  const route = routeOf(path);
  if (route === undefined) return notFound;
  parts.authority.authorize(route, exchange);
  return await serve(parts, route, exchange);
}

async function serve({ store, uploads }: RegistryParts, route: Route, exchange: Exchange): Promise<Reply> {
  switch (route.kind) {
    case 'ping':
      return exchange.method === 'GET' || exchange.method === 'HEAD' ? ping : methodNotAllowed('GET');
    case 'catalog':
      return handleCatalog(store, exchange);
    case 'tags':
      return handleTags(store, exchange, route.repository);
    case 'manifest':
      return await handleManifest(store, exchange, route);
    case 'blob':
      return handleBlob(store, exchange, route);
    case 'uploads':
      return await uploads.start(exchange, route.repository);
    case 'upload':
      return await uploads.continue(exchange, route);
  }
}

const ping: Reply = { status: 200, headers: { 'Content-Type': 'application/json; charset=utf-8' }, body: '{}' };
const notFound: Reply = {
  status: 404,
  headers: { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff' },
  body: '404 page not found\n',
};
