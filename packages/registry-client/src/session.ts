import { defaultRequestPace, retry, type Clock } from '@buildkeeper/retry-policy';
import type { Authorizer, Authorization } from './authorization.ts';
import { classify } from './classify.ts';
import { credentialHash, secretsOf, type Credential, type Keychain } from './credential.ts';
import { faultOfResponse } from './error-body.ts';
import { RegistryError, WireFault, type Attempt, type FaultSite, type RegistryOperation } from './errors.ts';
import { settingsFor, type RegistryClientOptions } from './options.ts';
import { dockerHub, type Repository } from './reference.ts';
import { repositoryScope } from './scopes.ts';
import type { WireResponse } from './response.ts';
import type { RequestBody, WireRequest } from './exchange.ts';
import type { Transport } from './transport.ts';

/** What sessions share: one of each in a client. */
export interface SessionDeps {
  readonly transport: Transport;
  readonly authorizer: Authorizer;
  readonly clock: Clock;
  readonly options: RegistryClientOptions;
}

/** One request of a session. */
export interface SessionRequest {
  readonly method: WireRequest['method'];
  /** Below `/v2/<repository>/`, or a whole URL that the registry gave. */
  readonly target: string | URL;
  readonly operation: RegistryOperation;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: RequestBody;
  /** Repository to read from besides this one, for a mount. */
  readonly alsoPull?: string;
}

/** What is to be done, in words and in how often. */
export interface Action extends Pick<Attempt, 'action' | 'subject' | 'sizeBytes'> {
  /** Default true. */
  readonly isReplayable?: boolean;
  readonly canRestart?: () => boolean;
  /** Instead of the client's setting. */
  readonly maxAttempts?: number;
}

/** A usual error is some 200 bytes long. */
export const defaultErrorBodyBytes = 8 * 1024;
/** The waits inside one call add up to at most this. */
const maxTotalDelayMs = 5000;
const defaultUserAgent = 'buildkeeper';
/** The first answer, the one with the challenge answered, and the one with a renewed token. */
const maxTurns = 3;

/** One repository with one credential: authorization, repetition inside a call, and the judging of faults. */
export class Session {
  readonly repository: Repository;
  readonly signal: AbortSignal;
  readonly #deps: SessionDeps;
  readonly #keychain: Keychain;
  readonly #credential: Credential | undefined;
  readonly #base: URL;

  constructor(deps: SessionDeps, repository: Repository, keychain: Keychain, signal: AbortSignal) {
    this.#deps = deps;
    // Picked out, because a reference with tag and digest serves as a repository too.
    this.repository = { registry: repository.registry, repository: repository.repository };
    this.#keychain = keychain;
    this.signal = signal;
    this.#credential = keychain.credentialFor(this.repository);
    this.#base = baseUrl(repository.registry, deps.transport);
  }

  /** Attempts of one action against this registry, unless the action says otherwise. */
  get maxAttempts(): number {
    return settingsFor(this.#deps.options, this.#base).requestAttempts;
  }

  /** Does something, again if its failure permits. Whatever is thrown inside comes out as RegistryError. */
  async run<T>(action: Action, operation: (attempt: number) => Promise<T>): Promise<T> {
    const { clock, options } = this.#deps;
    try {
      return await retry(
        async (attempt) => {
          try {
            return await operation(attempt);
          } catch (error) {
            throw this.judge(error, action);
          }
        },
        {
          maxAttempts: action.maxAttempts ?? this.maxAttempts,
          pace: options.requestPace ?? defaultRequestPace,
          maxTotalDelayMs,
          signal: this.signal,
          clock,
          random: options.random,
          onRetry: ({ origin, reason }, delayMs) => {
            const host = new URL(origin ?? this.#base.origin).host;
            options.observer?.retryScheduled({ host, reason, delayMs });
          },
        },
      );
    } catch (error) {
      // An abort during the wait between two attempts comes out of the clock unjudged.
      throw this.judge(error, action);
    }
  }

  /** Sends a request with the authorization it needs. Any status below 400 is an answer; throws WireFault otherwise. */
  async send(request: SessionRequest): Promise<WireResponse> {
    const wire = this.#wireRequest(request);
    if (wire.role === 'registry') return this.#sendAuthorized(wire, request);
    const response = await this.#deps.transport.send(wire);
    if (response.status >= 400) throw await this.#faultOf(response);
    return response;
  }

  /** The error to throw for anything that was thrown. */
  judge(error: unknown, action: Action): RegistryError {
    const attempt: Attempt = {
      action: action.action,
      subject: action.subject,
      repository: this.repository.repository,
      credential: credentialHash(this.#credential),
      isReplayable: action.isReplayable ?? true,
      ...(action.sizeBytes !== undefined && { sizeBytes: action.sizeBytes }),
      ...(action.canRestart !== undefined && { canRestart: action.canRestart() }),
      ...(this.#keychain.missing !== undefined && { missingSecrets: this.#keychain.missing }),
      ...(this.#keychain.broken !== undefined && { brokenSecrets: this.#keychain.broken }),
    };
    const site: FaultSite = { origin: this.#base.origin, role: 'registry', operation: 'manifest', method: 'GET' };
    if (this.signal.aborted) {
      return new RegistryError(classify({ kind: 'aborted', error: this.signal.reason }, site, attempt));
    }
    if (error instanceof RegistryError) return error;
    if (error instanceof WireFault) return new RegistryError(classify(error.fault, error.site, attempt));
    return new RegistryError(classify({ kind: 'broken', error, hasResponse: false }, site, attempt));
  }

  async #sendAuthorized(wire: WireRequest, request: SessionRequest): Promise<WireResponse> {
    const { authorizer, transport } = this.#deps;
    const access = {
      origin: this.#base.origin,
      credential: this.#credential,
      scopes: scopesOf(request, this.repository.repository),
    };
    let authorization = await authorizer.before(access, this.signal);
    for (let turn = 1; ; turn += 1) {
      const header = authorization.header;
      const headers = { ...wire.headers, ...(header !== undefined && { authorization: header }) };
      const response = await transport.send({ ...wire, headers });
      if (response.status < 400) return response;
      // Read before a token is asked for: an open answer holds a connection that the token service may need.
      const fault = await this.#faultOf(response);
      if (response.status !== 401 || response.site.role !== 'registry' || turn === maxTurns) throw fault;
      const better: Authorization | undefined = await authorizer.after(response, authorization, access, this.signal);
      if (better === undefined) throw fault;
      authorization = better;
    }
  }

  #faultOf(response: WireResponse): Promise<WireFault> {
    const { clock, options } = this.#deps;
    const errorBodyBytes = options.limits?.errorBodyBytes ?? defaultErrorBodyBytes;
    return faultOfResponse(response, { errorBodyBytes, secrets: secretsOf(this.#credential) }, clock.nowMs());
  }

  #wireRequest(request: SessionRequest): WireRequest {
    const { target } = request;
    const url = target instanceof URL ? target : new URL(`/v2/${this.repository.repository}/${target}`, this.#base);
    return {
      method: request.method,
      url,
      headers: { 'user-agent': this.#deps.options.userAgent ?? defaultUserAgent, ...request.headers },
      ...(request.body !== undefined && { body: request.body }),
      operation: request.operation,
      role: url.origin === this.#base.origin ? 'registry' : 'storage',
      signal: this.signal,
    };
  }
}

function scopesOf(request: SessionRequest, repository: string): readonly string[] {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const own = repositoryScope(repository, isRead ? 'pull' : 'pull,push');
  return request.alsoPull === undefined ? [own] : [own, repositoryScope(request.alsoPull, 'pull')];
}

function baseUrl(registry: string, transport: Transport): URL {
  // The name of Docker Hub in references is not the host that serves its images.
  const host = registry === dockerHub ? 'registry-1.docker.io' : registry;
  const plain = new URL(`http://${host}`);
  return transport.isPlainHttp(plain) ? plain : new URL(`https://${host}`);
}
