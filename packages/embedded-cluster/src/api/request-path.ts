import { badRequest } from './statuses.ts';

/** Which resource, object and subresource a path means. */
export interface ResourcePath {
  readonly group: string;
  readonly version: string;
  readonly namespace?: string;
  readonly plural: string;
  readonly name?: string;
  readonly subresource?: string;
}

const resourceRoot = /^\/(?:api\/(?<coreVersion>[^/]+)|apis\/(?<group>[^/]+)\/(?<version>[^/]+))\/(?<rest>.+)$/;

/** Reads `/api/v1/…` and `/apis/<group>/<version>/…`; undefined for every other path. Throws 400 for a bad escape. */
export function parseResourcePath(path: string): ResourcePath | undefined {
  const groups = resourceRoot.exec(path)?.groups;
  if (!groups) return undefined;
  const { coreVersion, group = '', version = coreVersion ?? '', rest = '' } = groups;
  const parts = rest.split('/').map(decodedPart);
  const [first, namespace, ...inner] = parts;
  // `/namespaces/x` and `/namespaces/x/status` are about the namespace itself; a third word that is no subresource is a resource.
  const isInNamespace = first === 'namespaces' && inner.length > 0 && !namespaceParts.includes(inner.join('/'));
  const [plural = '', name, subresource, ...beyond] = isInNamespace ? inner : parts;
  if (beyond.length > 0) return undefined;
  return {
    group,
    version,
    plural,
    ...(isInNamespace && namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
    ...(subresource !== undefined && { subresource }),
  };
}

function decodedPart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw badRequest(`the path has a bad escape: ${part}`);
  }
}

const namespaceParts = ['status', 'finalize'];
