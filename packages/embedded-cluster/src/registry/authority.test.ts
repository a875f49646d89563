import { afterEach, describe, expect, it } from 'vitest';
import { exchangeHttp, type HttpAnswer } from '../testing/http-exchange.ts';
import { type RegistryAuth } from './authority.ts';
import { startDockerRegistry } from './start-docker-registry.ts';
import { type OciRegistry, startOciRegistry } from './start-oci-registry.ts';

let registry: OciRegistry;
afterEach(() => registry.close());

async function start(auth: RegistryAuth): Promise<void> {
  registry = await startOciRegistry({ auth });
}

const basic = (name: string, password: string) => ({
  Authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`,
});
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  exchangeHttp(`${registry.url}${path}`, { headers, method });
const askToken = (query: string, headers: Record<string, string> = {}) =>
  ask(`/token?service=embedded-registry&${query}`, headers);
const tokenIn = (answer: HttpAnswer) => (JSON.parse(answer.body) as { token: string }).token;
const postToken = (form: Record<string, string>) =>
  exchangeHttp(`${registry.url}/token`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ service: 'embedded-registry', ...form }).toString(),
  });

describe('basic access', () => {
  it.each([
    ['no credential', {}, 401],
    ['wrong password', basic('ann', 'guess'), 401],
    ['unknown user', basic('bob', 'secret'), 401],
    ['a name of every object', basic('toString', ''), 401],
    ['right password', basic('ann', 'secret'), 404],
  ])('judges %s', async (_name, headers, status) => {
    await start({ kind: 'basic', users: { ann: 'secret' } });
    const answer = await ask('/v2/team/app/manifests/latest', headers);
    expect(answer.status).toBe(status);
    expect(answer.headers['www-authenticate']).toBe(status === 401 ? 'Basic realm="basic-realm"' : undefined);
  });

  it('sees a password that was mended', async () => {
    const users: Record<string, string> = { ann: 'old' };
    await start({ kind: 'basic', users });
    expect((await ask('/v2/', basic('ann', 'new'))).status).toBe(401);
    users['ann'] = 'new';
    expect((await ask('/v2/', basic('ann', 'new'))).status).toBe(200);
  });

  it('refuses as docker-registry does', async ({ skip }) => {
    await start({ kind: 'basic', users: { ann: 'secret' } });
    const real = await startDockerRegistry({ users: { ann: 'secret' } });
    skip(real === undefined && process.env['CI'] === undefined, 'docker-registry is not installed');
    const { url } = real!;
    const paths = ['/v2/', '/v2/_catalog', '/v2/team/app/manifests/latest', '/v2/team/app/blobs/uploads/?from=x'];
    for (const path of paths) {
      const method = path.includes('uploads') ? 'POST' : 'GET';
      const theirs = await exchangeHttp(`${url}${path}`, { method });
      const ours = await ask(path, {}, method);
      expect([ours.status, ours.headers['www-authenticate']], path).toEqual([
        theirs.status,
        theirs.headers['www-authenticate'],
      ]);
      const byName = (answer: HttpAnswer) =>
        (JSON.parse(answer.body) as { errors: { detail: { Action: string }[] | null }[] }).errors[0]?.detail
          ?.map((entry) => JSON.stringify(entry))
          .sort();
      expect(byName(ours), path).toEqual(byName(theirs));
    }
    expect((await exchangeHttp(`${url}/v2/`, { headers: basic('ann', 'secret') })).status).toBe(200);
    await real!.close();
  });
});

describe('token access', () => {
  const auth = { kind: 'token', users: { ann: 'secret' } } as const;

  it('challenges with a realm on the host that was asked, a service and the scope', async () => {
    await start(auth);
    const answer = await ask('/v2/team/app/blobs/uploads/?mount=x&from=team/base', { Host: 'proxy.test:5000' }, 'POST');
    expect(answer.headers['www-authenticate']).toBe(
      'Bearer realm="http://proxy.test:5000/token",service="embedded-registry",scope="repository:team/app:pull,push repository:team/base:pull"',
    );
    expect((await ask('/v2/')).headers['www-authenticate']).toBe(
      `Bearer realm="${registry.url}/token",service="embedded-registry"`,
    );
  });

  it('gives a token for the scopes asked for, and no other', async () => {
    await start(auth);
    const query = 'scope=repository:team/app:pull,push%20repository:a/b:pull&scope=repository:c:pull';
    const answer = await askToken(query, basic('ann', 'secret'));
    expect(JSON.parse(answer.body)).toMatchObject({ access_token: tokenIn(answer), expires_in: 300 });
    const headers = bearer(tokenIn(answer));
    expect((await ask('/v2/', headers)).status).toBe(200);
    expect((await ask('/v2/team/app/blobs/uploads/', headers, 'POST')).status).toBe(202);
    for (const name of ['a/b', 'c']) expect((await ask(`/v2/${name}/manifests/x`, headers)).status).toBe(404);
    const beyond = await ask('/v2/a/b/blobs/uploads/', headers, 'POST');
    expect(beyond.status).toBe(401);
    expect(beyond.headers['www-authenticate']).toMatch(/scope="repository:a\/b:pull,push",error="insufficient_scope"$/);
  });

  it.each([
    ['a wrong password', 'service=embedded-registry', basic('ann', 'guess'), 401],
    ['another service', 'service=elsewhere', basic('ann', 'secret'), 400],
    ['no service', '', basic('ann', 'secret'), 400],
  ])('gives none for %s', async (_name, query, headers, status) => {
    await start(auth);
    expect((await ask(`/token?${query}`, headers)).status).toBe(status);
  });

  it('gives nobody a token for nothing, unless pulling is free', async () => {
    await start(auth);
    const useless = await askToken('scope=repository:a:pull');
    expect((await ask('/v2/a/manifests/x', bearer(tokenIn(useless)))).status).toBe(401);
    await registry.close();
    await start({ ...auth, allowsAnonymousPull: true });
    const pulling = bearer(tokenIn(await askToken('scope=repository:a:pull,push')));
    expect((await ask('/v2/a/manifests/x', pulling)).status).toBe(404);
    expect((await ask('/v2/a/blobs/uploads/', pulling, 'POST')).status).toBe(401);
  });

  it('takes a refresh token for a credential', async () => {
    await start(auth);
    const form = { grant_type: 'password', username: 'ann', password: 'secret', access_type: 'offline' };
    const { refresh_token } = JSON.parse((await postToken(form)).body) as { refresh_token: string };
    const scope = 'repository:a:pull';
    const answer = await postToken({ grant_type: 'refresh_token', refresh_token, scope });
    expect((await ask('/v2/a/manifests/x', bearer(tokenIn(answer)))).status).toBe(404);
    expect((await ask('/v2/a/manifests/x', bearer(refresh_token))).status).toBe(401);
    expect((await postToken({ grant_type: 'refresh_token', refresh_token: tokenIn(answer), scope })).status).toBe(401);
    expect((await postToken({ ...form, password: 'guess' })).status).toBe(401);
  });

  it('refuses tokens that ran out, were revoked or changed', async () => {
    await start({ ...auth, lifetimeSeconds: 0 });
    const late = await ask('/v2/', bearer(tokenIn(await askToken('', basic('ann', 'secret')))));
    expect(late.headers['www-authenticate']).toMatch(/error="invalid_token"$/);
    await registry.close();
    await start(auth);
    const token = tokenIn(await askToken('', basic('ann', 'secret')));
    expect((await ask('/v2/', bearer(token))).status).toBe(200);
    expect((await ask('/v2/', bearer(`x${token}`))).status).toBe(401);
    registry.revokeTokens();
    expect((await ask('/v2/', bearer(token))).status).toBe(401);
  });
});
