import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** What somebody may do with one resource; `name` is a repository, or `catalog` of type `registry`. */
export interface Access {
  readonly type: 'repository' | 'registry';
  readonly name: string;
  readonly actions: readonly string[];
}

/** What a token says. */
export interface TokenClaims {
  readonly use: 'access' | 'refresh';
  /** Empty for a token given to nobody in particular. */
  readonly user: string;
  readonly access: readonly Access[];
  readonly expiresAtMs: number;
}

/** Makes and reads tokens that only this instance can make. For clients they are opaque. */
export class TokenSigner {
  #key = randomBytes(32);

  sign(claims: TokenClaims): string {
    const payload = Buffer.from(JSON.stringify(claims)).toString('base64url');
    return `${payload}.${this.#mac(payload).toString('base64url')}`;
  }

  /** The claims of a token of ours that is for this use and has not run out; else undefined. */
  read(token: string, use: TokenClaims['use'], nowMs: number): TokenClaims | undefined {
    const [payload = '', mac = ''] = token.split('.');
    const given = Buffer.from(mac, 'base64url');
    const wanted = this.#mac(payload);
    if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return undefined;
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as TokenClaims;
    return claims.use === use && claims.expiresAtMs > nowMs ? claims : undefined;
  }

  /** No token made before is read after. */
  revokeAll(): void {
    this.#key = randomBytes(32);
  }

  #mac(payload: string): Buffer {
    return createHmac('sha256', this.#key).update(payload).digest();
  }
}
