import { answer, type ApiAnswer, type ApiRequest, type ApiResponse } from './api-request.ts';
import { type JsonRecord } from './json-value.ts';
import { type ClusterState } from './cluster-state.ts';
import { ApiError, methodNotAllowed, unknownPath } from './statuses.ts';
import { parseResourcePath } from './request-path.ts';
import { answerResource } from './resource-requests.ts';
import { emptySwagger, emptySwaggerProtobuf, openApiDocument, openApiIndex } from './openapi.ts';
import { coreVersions, groupList, resourceList, singleGroup } from './discovery.ts';

/** Answers any request, errors included: an ApiError becomes its Status, anything else a 500. */
export function answerRequest(state: ClusterState, request: ApiRequest): ApiResponse {
  try {
    return respond(state, request);
  } catch (error) {
    const known = error instanceof ApiError ? error : internalError(error);
    return answer(known.toStatus(), known.code);
  }
}

function internalError(error: unknown): ApiError {
  const message = `Internal error occurred: ${error instanceof Error ? error.message : String(error)}`;
  return new ApiError({ code: 500, reason: 'InternalError', message });
}

function respond(state: ClusterState, request: ApiRequest): ApiResponse {
  const found = fixedAnswer(request) ?? discoveryAnswer(state, request) ?? openApiAnswer(state, request);
  if (found) {
    if (request.method !== 'GET') throw methodNotAllowed();
    return found;
  }
  const path = parseResourcePath(request.path);
  if (!path) throw unknownPath();
  return answerResource(state, request, path);
}

/** Paths that answer without a token, as on a real server. */
export const openPaths: readonly string[] = ['/healthz', '/livez', '/readyz', '/version'];

const version = {
  major: '1',
  minor: '32',
  gitVersion: 'v1.32.0+buildkeeper-embedded',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: '',
  compiler: '',
  platform: 'linux/amd64',
};

function fixedAnswer({ path }: ApiRequest): ApiAnswer | undefined {
  if (path === '/version') return answer(version);
  if (/^\/(?:healthz|livez|readyz)(?:\/.*)?$/.test(path)) {
    return { kind: 'answer', status: 200, body: 'ok', contentType: 'text/plain' };
  }
  return undefined;
}

function discoveryAnswer(state: ClusterState, { path }: ApiRequest): ApiAnswer | undefined {
  const body = discovered(state, path.replace(/\/$/, ''));
  return body && answer(body);
}

function discovered({ catalog }: ClusterState, path: string): JsonRecord | undefined {
  const parts = path.split('/').slice(1);
  if (path === '/api') return coreVersions();
  if (path === '/api/v1') return resourceList(catalog.all(), 'v1');
  if (parts[0] !== 'apis') return undefined;
  const [, group = '', groupVersion = ''] = parts;
  if (parts.length === 1) return groupList(catalog.all());
  if (parts.length === 2) return singleGroup(catalog.all(), group);
  return parts.length === 3 ? resourceList(catalog.all(), `${group}/${groupVersion}`) : undefined;
}

const swaggerProtobuf = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';

function openApiAnswer({ catalog }: ClusterState, { path, accept }: ApiRequest): ApiAnswer | undefined {
  if (path === '/openapi/v2') {
    return accept.includes('+protobuf')
      ? { kind: 'answer', status: 200, body: emptySwaggerProtobuf(), contentType: swaggerProtobuf }
      : answer(emptySwagger());
  }
  if (path === '/openapi/v3') return answer(openApiIndex(catalog.all()));
  const document = path.startsWith('/openapi/v3/') && openApiDocument(catalog.all(), path.slice('/openapi/v3/'.length));
  return document ? answer(document) : undefined;
}
