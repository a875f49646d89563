import { afterEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { startOciRegistry } from './registry/start-oci-registry.ts';
import { type EmbeddedCluster, startEmbeddedCluster } from './start-embedded-cluster.ts';
import { exchangeHttp } from './testing/http-exchange.ts';

let cluster: EmbeddedCluster | undefined;
afterEach(() => cluster?.close());

describe('startEmbeddedCluster', () => {
  it('starts an API server, and a registry full of images behind a proxy', async () => {
    cluster = await startEmbeddedCluster();
    const { api, proxy, registry, samples, kubeconfig } = cluster;
    const { clusters } = parse(kubeconfig) as { clusters: { cluster: { server: string } }[] };
    expect(clusters[0]?.cluster.server).toBe(api.url);
    const kinds = await exchangeHttp(`${api.url}/apis/kpack.io/v1alpha2`);
    expect(kinds.body).toMatch(/"kind":"ClusterBuilder"/);

    const [host = '', repository = '', tag = ''] = samples.buildImage.split(/\/(.*):/);
    expect(host).toBe(proxy.host);
    const { mediaType } = registry.getManifest(repository, tag) ?? { mediaType: '' };
    const url = `${proxy.url}/v2/${repository}/manifests/${tag}`;
    expect((await exchangeHttp(url, { headers: { Accept: mediaType } })).status).toBe(200);
    proxy.fault({ action: { kind: 'status', status: 503 }, times: 1 });
    expect((await exchangeHttp(url, { headers: { Accept: mediaType } })).status).toBe(503);
    expect(registry.requests).toHaveLength(1);
  });

  it('does what the README shows: faults, an outage and its end', async () => {
    cluster = await startEmbeddedCluster();
    const { proxy, samples } = cluster;
    expect(samples.buildImage).toBe(`${proxy.host}/samples/build:base`);
    const url = `${proxy.url}/v2/samples/build/manifests/base`;
    const faults = proxy.fault({ method: 'GET', path: /\/manifests\//, times: 3, action: { kind: 'reset' } });
    const codes: unknown[] = [];
    for (let attempt = 0; attempt < 4; attempt += 1) {
      const outcome = exchangeHttp(url).then(({ status }) => status);
      codes.push(await outcome.catch((error: unknown) => (error as NodeJS.ErrnoException).code));
    }
    expect([codes, faults.hits]).toEqual([['ECONNRESET', 'ECONNRESET', 'ECONNRESET', 400], 3]);
    await proxy.refuse();
    await expect(exchangeHttp(url)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await proxy.accept();
    expect((await exchangeHttp(`${proxy.url}/v2/`)).status).toBe(200);
  });

  it('takes over ports, access and media types, and gives the ports back', async () => {
    cluster = await startEmbeddedCluster();
    const [apiPort, registryPort, proxyPort] = [cluster.api.port, cluster.registry.port, cluster.proxy.port];
    await cluster.close();
    cluster = await startEmbeddedCluster({
      ...{ apiPort, registryPort, proxyPort, crds: [], prefix: 'x', family: 'oci' },
      auth: { kind: 'token', users: { ann: 'secret' } },
    });
    expect([cluster.api.port, cluster.registry.port, cluster.proxy.port]).toEqual([apiPort, registryPort, proxyPort]);
    expect(cluster.samples.runImage).toBe(`127.0.0.1:${proxyPort}/x/run:base`);
    expect(cluster.registry.getManifest('x/run', 'base')?.mediaType).toBe('application/vnd.oci.image.manifest.v1+json');
    const challenge = (await exchangeHttp(`${cluster.proxy.url}/v2/`)).headers['www-authenticate'];
    expect(challenge).toMatch(`realm="${cluster.proxy.url}/token"`);
    expect((await exchangeHttp(`${cluster.api.url}/apis/kpack.io/v1alpha2`)).status).toBe(404);
  });

  it('ends what it had started when a part cannot start', async () => {
    cluster = await startEmbeddedCluster({ crds: [] });
    const gone = await startOciRegistry();
    await gone.close();
    const registryPort = gone.port;
    await expect(startEmbeddedCluster({ registryPort, apiPort: cluster.api.port })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
    await expect(exchangeHttp(`http://127.0.0.1:${registryPort}/v2/`)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});
