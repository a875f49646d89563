import type { Clock } from '@buildkeeper/retry-policy';
import { basicHeader, secretsOf, type Credential } from './credential.ts';
import { faultOfResponse } from './error-body.ts';
import { WireFault } from './errors.ts';
import { parseJsonObject } from './json.ts';
import { destinationOf } from './location.ts';
import { LruCache } from './lru-cache.ts';
import type { WireResponse } from './response.ts';
import { SingleFlight } from './single-flight.ts';
import type { Transport } from './transport.ts';

/** What a token is asked for. */
export interface TokenQuery {
  /** The realm of the challenge, as the server wrote it. */
  readonly realm: string;
  readonly service: string;
  readonly scopes: readonly string[];
  readonly credential: Credential | undefined;
  /** Tells credentials apart in the cache. */
  readonly credentialHash: string;
  /** The URL whose answer held the challenge. */
  readonly askedAt: URL;
}

/** A bearer token; opaque. */
export interface Token {
  readonly text: string;
  /** Whether it was asked for just now, for this caller or one beside it. */
  readonly isFresh: boolean;
}

interface KeptToken {
  readonly text: string;
  /** On the monotonic clock. */
  readonly usableUntilMs: number;
}

/** By the specification, for a server that names no lifetime. */
const defaultLifetimeMs = 60_000;
const maxTokens = 1000;
const maxAnswerBytes = 1024 * 1024;
const clientId = 'buildkeeper';

/** Fetches and keeps bearer tokens: one for each realm, service, scopes and credential, shared by all who need it. */
export class Tokens {
  readonly #kept = new LruCache<KeptToken>(maxTokens);
  readonly #flights = new SingleFlight<KeptToken>();
  readonly #transport: Transport;
  readonly #clock: Clock;
  readonly #errorBodyBytes: number;

  constructor(transport: Transport, clock: Clock, errorBodyBytes: number) {
    this.#transport = transport;
    this.#clock = clock;
    this.#errorBodyBytes = errorBodyBytes;
  }

  /**
   * A token that lasts for a while yet, from the cache or from the token service. Throws WireFault, role `token`.
   *
   * @param refused a token that the registry did not take: never given again
   */
  async tokenFor(query: TokenQuery, signal: AbortSignal, refused?: string): Promise<Token> {
    const key = JSON.stringify([query.realm, query.service, query.scopes, query.credentialHash]);
    const kept = this.#kept.get(key);
    if (kept !== undefined && kept.text !== refused && kept.usableUntilMs > this.#clock.monotonicMs()) {
      return { text: kept.text, isFresh: false };
    }
    const token = await this.#flights.run(key, signal, async (flightSignal) => {
      const fetched = await this.#fetch(query, flightSignal);
      this.#kept.set(key, fetched);
      return fetched;
    });
    return { text: token.text, isFresh: true };
  }

  async #fetch(query: TokenQuery, signal: AbortSignal): Promise<KeptToken> {
    const url = this.#urlOf(query);
    const startedMs = this.#clock.monotonicMs();
    let response: WireResponse | undefined;
    if (query.credential?.identityToken !== undefined) {
      response = await this.#exchangeRefreshToken(query, query.credential.identityToken, url, signal);
    }
    // Some registries know only the older way, and take the refresh token for a password there.
    response ??= await this.#get(query, url, signal);
    return this.#read(response, secretsOf(query.credential), startedMs);
  }

  async #get(query: TokenQuery, realm: URL, signal: AbortSignal): Promise<WireResponse> {
    const url = new URL(realm);
    if (query.service !== '') url.searchParams.set('service', query.service);
    for (const scope of query.scopes) url.searchParams.append('scope', scope);
    const authorization = basicHeader(query.credential);
    const headers = { accept: 'application/json', ...(authorization !== undefined && { authorization }) };
    return this.#transport.send({ method: 'GET', url, headers, operation: 'token', role: 'token', signal });
  }

  /** Undefined when the token service does not know this way. */
  async #exchangeRefreshToken(
    query: TokenQuery,
    refreshToken: string,
    url: URL,
    signal: AbortSignal,
  ): Promise<WireResponse | undefined> {
    const form = new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
      service: query.service,
      scope: query.scopes.join(' '),
      client_id: clientId,
    });
    const bytes = Buffer.from(form.toString());
    const response = await this.#transport.send({
      method: 'POST',
      url,
      headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
      body: { sizeBytes: bytes.length, open: () => bytes },
      operation: 'token',
      role: 'token',
      signal,
    });
    if (response.status !== 404) return response;
    await response.discard();
    return undefined;
  }

  async #read(response: WireResponse, secrets: readonly string[], startedMs: number): Promise<KeptToken> {
    if (response.status !== 200) {
      const limits = { errorBodyBytes: this.#errorBodyBytes, secrets };
      throw await faultOfResponse(response, limits, this.#clock.nowMs());
    }
    const bytes = await response.readWhole(maxAnswerBytes);
    const answer = bytes === undefined ? undefined : parseJsonObject(bytes);
    const text = answer?.['token'] ?? answer?.['access_token'];
    if (typeof text !== 'string' || !/^[\x21-\x7e]+$/.test(text)) {
      throw new WireFault({ kind: 'unexpected', detail: 'answered without a token' }, response.site);
    }
    const seconds = answer?.['expires_in'];
    const lifetimeMs = typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : defaultLifetimeMs;
    // The last tenth is left unused, so that a token does not run out on its way.
    return { text, usableUntilMs: startedMs + lifetimeMs * 0.9 };
  }

  #urlOf(query: TokenQuery): URL {
    const destination = destinationOf(query.realm, query.askedAt, (url) => this.#transport.isPlainHttp(url));
    if (destination.kind === 'url') return destination.url;
    const site = { origin: query.askedAt.origin, role: 'token', operation: 'token', method: 'GET' } as const;
    throw new WireFault(
      destination.kind === 'insecure'
        ? destination
        : { kind: 'unexpected', detail: 'realm of the challenge is no usable address' },
      site,
    );
  }
}
