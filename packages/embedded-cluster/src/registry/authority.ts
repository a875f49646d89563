import { type Exchange, jsonReply, readBody, type Reply } from './exchange.ts';
import { OciError } from './oci-error.ts';
import { accessFromScopes, isGranted, requiredAccess, scopeText } from './required-access.ts';
import { type Route } from './route.ts';
import { type Access, TokenSigner } from './signed-tokens.ts';

/** Names and passwords. Read at every request: a test mends a credential by changing the object it gave. */
export type RegistryUsers = Record<string, string>;

/** Who may use the registry. With `basic` and `token` every user may do everything. */
export type RegistryAuth =
  | { readonly kind: 'none' }
  | { readonly kind: 'basic'; readonly users: RegistryUsers }
  | {
      readonly kind: 'token';
      readonly users: RegistryUsers;
      /** Gives tokens for pulling to those who show no credential. */
      readonly allowsAnonymousPull?: boolean;
      /** How long a token is good for, 300 when absent; what is said as `expires_in`. */
      readonly lifetimeSeconds?: number;
    };

const serviceName = 'embedded-registry';
const refreshLifetimeMs = 24 * 3600 * 1000;

/** Decides about requests, and is the token service. */
export class Authority {
  readonly #auth: RegistryAuth;
  readonly #tokens = new TokenSigner();

  constructor(auth: RegistryAuth) {
    this.#auth = auth;
  }

  /** No token given out before is good after. */
  revokeTokens(): void {
    this.#tokens.revokeAll();
  }

  /** Throws the challenge unless the request may be served. */
  authorize(route: Route, exchange: Exchange): void {
    const wanted = requiredAccess(route, exchange.method, exchange.query);
    if (this.#auth.kind === 'basic' && this.#basicUser(exchange) === undefined) {
      throw challenge('Basic realm="basic-realm"', wanted);
    }
    if (this.#auth.kind === 'token') this.#authorizeToken(exchange, wanted);
  }

  #authorizeToken(exchange: Exchange, wanted: readonly Access[]): void {
    const [, token] = /^Bearer (.+)$/i.exec(exchange.headers.authorization ?? '') ?? [];
    const claims = token === undefined ? undefined : this.#tokens.read(token, 'access', Date.now());
    if (claims !== undefined && isGranted(wanted, claims.access)) return;
    const parts = [`realm="${exchange.baseUrl}/token"`, `service="${serviceName}"`];
    if (wanted.length > 0) parts.push(`scope="${scopeText(wanted)}"`);
    if (token !== undefined) parts.push(claims === undefined ? 'error="invalid_token"' : 'error="insufficient_scope"');
    throw challenge(`Bearer ${parts.join(',')}`, wanted);
  }

  /** Answers `/token`: GET with Basic or nothing, POST with a password or a refresh token. */
  async giveToken(exchange: Exchange): Promise<Reply> {
    if (this.#auth.kind !== 'token') return { status: 404, headers: { 'Content-Length': 0 } };
    const isPost = exchange.method === 'POST';
    const form = isPost ? new URLSearchParams((await readBody(exchange)).toString()) : exchange.query;
    const user = isPost ? this.#formUser(form) : this.#basicUser(exchange);
    const isAnonymous = !isPost && exchange.headers.authorization === undefined;
    if (user === undefined && !isAnonymous)
      return { status: 401, ...jsonReply({ details: 'incorrect username or password' }) };
    if (form.get('service') !== serviceName) return { status: 400, ...jsonReply({ details: 'unknown service' }) };
    return this.#tokenReply(user, form);
  }

  #tokenReply(user: string | undefined, form: URLSearchParams): Reply {
    const wanted = accessFromScopes(form.getAll('scope'));
    const access = user === undefined ? this.#anonymousAccess(wanted) : wanted;
    const expires_in = this.#auth.kind === 'token' ? (this.#auth.lifetimeSeconds ?? 300) : 0;
    const nowMs = Date.now();
    const token = this.#tokens.sign({
      use: 'access',
      user: user ?? '',
      access,
      expiresAtMs: nowMs + expires_in * 1000,
    });
    const answer = { token, access_token: token, expires_in, issued_at: new Date(nowMs).toISOString() };
    const wantsRefresh = form.get('offline_token') === 'true' || form.get('access_type') === 'offline';
    if (!wantsRefresh || user === undefined) return { status: 200, ...jsonReply(answer) };
    const refresh = this.#tokens.sign({ use: 'refresh', user, access: [], expiresAtMs: nowMs + refreshLifetimeMs });
    return { status: 200, ...jsonReply({ ...answer, refresh_token: refresh }) };
  }

  #anonymousAccess(wanted: readonly Access[]): Access[] {
    if (this.#auth.kind !== 'token' || this.#auth.allowsAnonymousPull !== true) return [];
    return wanted.map((access) => ({ ...access, actions: access.actions.filter((action) => action === 'pull') }));
  }

  #formUser(form: URLSearchParams): string | undefined {
    if (form.get('grant_type') === 'refresh_token') {
      return this.#tokens.read(form.get('refresh_token') ?? '', 'refresh', Date.now())?.user;
    }
    return this.#userWith(form.get('username') ?? '', form.get('password') ?? '');
  }

  #basicUser(exchange: Exchange): string | undefined {
    const [, encoded = ''] = /^Basic (.+)$/i.exec(exchange.headers.authorization ?? '') ?? [];
    const [, name = '', password = ''] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? [];
    return this.#userWith(name, password);
  }

  #userWith(name: string, password: string): string | undefined {
    if (this.#auth.kind === 'none' || !Object.hasOwn(this.#auth.users, name)) return undefined;
    return this.#auth.users[name] === password ? name : undefined;
  }
}

function challenge(text: string, wanted: readonly Access[]): OciError {
  const detail = wanted.flatMap(({ type, name, actions }) =>
    actions.map((action) => ({ Type: type, Class: '', Name: name, Action: action })),
  );
  return new OciError(
    { code: 'UNAUTHORIZED', detail: detail.length === 0 ? null : detail },
    { 'WWW-Authenticate': text },
  );
}
