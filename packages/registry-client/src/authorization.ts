import { parseChallenges, usableChallenge, type UsableChallenge } from './challenge.ts';
import { basicHeader, credentialHash, type Credential } from './credential.ts';
import { WireFault } from './errors.ts';
import { LruCache } from './lru-cache.ts';
import type { WireResponse } from './response.ts';
import { joinScopes } from './scopes.ts';
import type { Token, Tokens } from './tokens.ts';

/** What is known of one origin: the challenge it last gave, and where. */
interface Remembered {
  readonly challenge: UsableChallenge;
  readonly askedAt: URL;
}

/** An Authorization header, and whether asking again could give a better one. */
export interface Authorization {
  readonly header: string | undefined;
  /** A bearer token from the cache, which the registry may have stopped to accept. */
  readonly renewable?: string;
}

/** For whom and for what a request needs authorization. */
export interface Access {
  readonly origin: string;
  readonly credential: Credential | undefined;
  readonly scopes: readonly string[];
}

const maxOrigins = 1000;

/**
 * Finds the Authorization header of a request. The challenge of each origin is remembered once it could be answered,
 * so that only the first request costs a 401; a later 401 replaces it. It is forgotten when its token service fails:
 * a wrong realm that was seen once must not keep anybody from a registry that has been mended.
 */
export class Authorizer {
  readonly #remembered = new LruCache<Remembered>(maxOrigins);
  /** Scopes that an origin wanted where fewer were offered. */
  readonly #wider = new LruCache<readonly string[]>(maxOrigins);
  readonly #tokens: Tokens;

  constructor(tokens: Tokens) {
    this.#tokens = tokens;
  }

  /**
   * The header to send first: none as long as the origin has asked for nothing.
   * Throws WireFault when the token service of the remembered challenge fails, which is then forgotten.
   */
  async before(access: Access, signal: AbortSignal): Promise<Authorization> {
    const remembered = this.#remembered.get(access.origin);
    if (remembered === undefined) return { header: undefined };
    try {
      return await this.#answer(remembered, access, this.#wider.get(keyOf(access)) ?? access.scopes, signal);
    } catch (error) {
      // Only the registry knows whether it still sends its callers there, so the next attempt asks it.
      if (!signal.aborted) this.#forget(access, remembered);
      throw error;
    }
  }

  /**
   * The header to send after a 401, or undefined when nothing better than `tried` can be had.
   * Throws WireFault when the challenge is none that this client knows, or when the token service fails.
   */
  async after(
    response: WireResponse,
    tried: Authorization,
    access: Access,
    signal: AbortSignal,
  ): Promise<Authorization | undefined> {
    const challenges = parseChallenges(response.headers('www-authenticate').join(', '));
    const challenge = usableChallenge(challenges);
    if (challenge === undefined) return withoutChallenge(challenges, tried, access, response);
    const given = { challenge, askedAt: response.url };
    const asked = challenge.scheme === 'bearer' ? challenge.scope.split(' ').filter((scope) => scope !== '') : [];
    const scopes = joinScopes([...access.scopes, ...asked]);
    const answer = await this.#answer(given, access, scopes, signal, tried.renewable);
    this.#remembered.set(access.origin, given);
    if (asked.length > 0) this.#wider.set(keyOf(access), scopes);
    return answer.header === undefined || answer.header === tried.header ? undefined : answer;
  }

  #forget(access: Access, failed: Remembered): void {
    this.#wider.delete(keyOf(access));
    // Another caller may have been given a newer challenge meanwhile.
    if (this.#remembered.get(access.origin) === failed) this.#remembered.delete(access.origin);
  }

  async #answer(
    { challenge, askedAt }: Remembered,
    access: Access,
    scopes: readonly string[],
    signal: AbortSignal,
    refused?: string,
  ): Promise<Authorization> {
    const { credential } = access;
    if (challenge.scheme === 'basic') return { header: basicHeader(credential) };
    if (credential?.registryToken !== undefined) return { header: `Bearer ${credential.registryToken.trim()}` };
    const { realm, service } = challenge;
    const query = { realm, service, scopes: joinScopes(scopes), credential, askedAt };
    const hash = credentialHash(credential);
    const token: Token = await this.#tokens.tokenFor({ ...query, credentialHash: hash }, signal, refused);
    return { header: `Bearer ${token.text}`, ...(!token.isFresh && { renewable: token.text }) };
  }
}

function keyOf(access: Access): string {
  return `${access.origin} ${access.scopes.join(' ')}`;
}

function withoutChallenge(
  challenges: readonly { readonly scheme: string }[],
  tried: Authorization,
  access: Access,
  response: WireResponse,
): Authorization | undefined {
  const schemes = challenges.map(({ scheme }) => scheme);
  if (schemes.length > 0) throw new WireFault({ kind: 'unsupportedChallenge', schemes }, response.site);
  // A 401 that names no scheme: Basic is what is left to try.
  const header = tried.header === undefined ? basicHeader(access.credential) : undefined;
  return header === undefined ? undefined : { header };
}
