/** The scope to ask of a token service for reading, or reading and writing, one repository. */
export function repositoryScope(repository: string, access: 'pull' | 'pull,push'): string {
  return `repository:${repository}:${access}`;
}

/**
 * Joins scopes to the shortest equal list: actions of the same resource in one scope, everything sorted, so that
 * equal wishes have equal text. Scopes of unknown form are kept as they are.
 *
 * @see https://distribution.github.io/distribution/spec/auth/scope/
 */
export function joinScopes(scopes: readonly string[]): readonly string[] {
  const actions = new Map<string, Set<string>>();
  for (const scope of scopes) {
    const colon = scope.lastIndexOf(':');
    const resource = colon === -1 ? scope : scope.slice(0, colon);
    const known = actions.get(resource) ?? new Set();
    if (colon !== -1) for (const action of scope.slice(colon + 1).split(',')) known.add(action);
    actions.set(resource, known);
  }
  return [...actions]
    .map(([resource, names]) => (names.size === 0 ? resource : `${resource}:${[...names].sort().join(',')}`))
    .sort();
}
