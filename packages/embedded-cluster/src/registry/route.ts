/** What a path of the distribution API names. */
export type Route =
  | { readonly kind: 'ping' }
  | { readonly kind: 'catalog' }
  | { readonly kind: 'tags'; readonly repository: string }
  | { readonly kind: 'manifest'; readonly repository: string; readonly reference: string }
  | { readonly kind: 'blob'; readonly repository: string; readonly digest: string }
  | { readonly kind: 'uploads'; readonly repository: string }
  | { readonly kind: 'upload'; readonly repository: string; readonly session: string };

// https://github.com/opencontainers/distribution-spec/blob/main/spec.md#pulling-manifests
const component = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*';
const repository = `(?<repository>${component}(?:/${component})*)`;
const pattern = (tail: string) => new RegExp(`^/v2/${repository}/${tail}$`);
const digest = '[A-Za-z0-9]+(?:[.+_-][A-Za-z0-9]+)*:[A-Fa-f0-9]+';
const patterns = {
  tags: pattern('tags/list'),
  manifest: pattern(`manifests/(?<reference>[A-Za-z0-9_][A-Za-z0-9._-]{0,127}|${digest})`),
  blob: pattern(`blobs/(?<digest>${digest})`),
  uploads: pattern('blobs/uploads/'),
  upload: pattern('blobs/uploads/(?<session>[A-Za-z0-9-]+)'),
};

/** Reads a path without its query; undefined when it is none of the API's, or a name in it is not well formed. */
export function routeOf(path: string): Route | undefined {
  if (path === '/v2/') return { kind: 'ping' };
  if (path === '/v2/_catalog') return { kind: 'catalog' };
  for (const [kind, expression] of Object.entries(patterns)) {
    const groups = expression.exec(path)?.groups;
    // The patterns' group names are the fields of the route of the same kind.
    if (groups !== undefined) return { kind, ...groups } as Route;
  }
  return undefined;
}
