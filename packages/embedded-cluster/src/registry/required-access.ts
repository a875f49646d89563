import { type Route } from './route.ts';
import { type Access } from './signed-tokens.ts';

/** What a request must be allowed: nothing for the ping, and pull of the source too for a mount. As in docker-registry. */
export function requiredAccess(route: Route, method: string, query: URLSearchParams): Access[] {
  if (route.kind === 'ping') return [];
  if (route.kind === 'catalog') return [{ type: 'registry', name: 'catalog', actions: ['*'] }];
  const own: Access = { type: 'repository', name: route.repository, actions: actionsOf(method) };
  const from = route.kind === 'uploads' ? (query.get('from') ?? '') : '';
  return from === '' ? [own] : [own, { type: 'repository', name: from, actions: ['pull'] }];
}

function actionsOf(method: string): string[] {
  if (method === 'GET' || method === 'HEAD') return ['pull'];
  return method === 'DELETE' ? ['delete'] : ['pull', 'push'];
}

/** Whether everything wanted is among what was granted. */
export function isGranted(wanted: readonly Access[], granted: readonly Access[]): boolean {
  return wanted.every(({ type, name, actions }) =>
    actions.every((action) =>
      granted.some((grant) => grant.type === type && grant.name === name && grant.actions.includes(action)),
    ),
  );
}

/** Scope text of a challenge: `repository:a:pull,push repository:b:pull`. */
export function scopeText(access: readonly Access[]): string {
  return access.map(({ type, name, actions }) => `${type}:${name}:${actions.join(',')}`).join(' ');
}

/** Reads scope texts, each of one or more resources divided by spaces; what is not well formed grants nothing. */
export function accessFromScopes(scopes: readonly string[]): Access[] {
  return scopes
    .flatMap((scope) => scope.split(' '))
    .flatMap((scope) => {
      const [, type, name, actions] = /^(repository|registry):(.+):([a-z*,]+)$/.exec(scope) ?? [];
      if (name === undefined || actions === undefined) return [];
      return [{ type: type === 'registry' ? 'registry' : 'repository', name, actions: actions.split(',') } as const];
    });
}
