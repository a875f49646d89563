import { crdManifests } from '@buildkeeper/kpack-api';
import { type ApiServer, startApiServer } from './api/api-server.ts';
import { type FaultProxy, startFaultProxy } from './proxy/start-fault-proxy.ts';
import { type RegistryAuth } from './registry/authority.ts';
import { type OciRegistry, startOciRegistry } from './registry/start-oci-registry.ts';
import { putSampleImages, type SampleImages, type SampleOptions } from './samples/push-sample-images.ts';

/** How the cluster is made. Ports are random ones between 20000 and 32000 where they are not given. */
export interface EmbeddedClusterOptions extends SampleOptions {
  /** Who may use the registry; everybody when absent. */
  readonly auth?: RegistryAuth;
  /** CustomResourceDefinition objects; those of kpack.io when absent. */
  readonly crds?: readonly object[];
  readonly apiPort?: number;
  readonly registryPort?: number;
  readonly proxyPort?: number;
}

/** A running API server, and a registry with the sample images behind a proxy that can fail. */
export interface EmbeddedCluster {
  readonly api: ApiServer;
  /** The registry itself: to look at what was pushed, and to change it behind the clients' backs. */
  readonly registry: OciRegistry;
  /** In front of the registry; clients know the registry by this address only. */
  readonly proxy: FaultProxy;
  /** References at the proxy. */
  readonly samples: SampleImages;
  /** Kubeconfig text (YAML) for the API server. */
  readonly kubeconfig: string;
  /** Ends everything and frees the ports. */
  close(): Promise<void>;
}

/** Starts all of it. Throws the system's error when a given port is taken; whatever had been started is ended then. */
export async function startEmbeddedCluster(options: EmbeddedClusterOptions = {}): Promise<EmbeddedCluster> {
  const { auth, crds = crdManifests(), apiPort, registryPort, proxyPort } = options;
  const parts = new AsyncDisposableStack();
  const keep = <T extends { close(): Promise<void> }>(part: T): T => parts.adopt(part, (started) => started.close());
  try {
    const registry = keep(
      await startOciRegistry({ ...portOption(registryPort), ...(auth === undefined ? {} : { auth }) }),
    );
    const proxy = keep(await startFaultProxy({ targetPort: registry.port, ...portOption(proxyPort) }));
    const samples = await putSampleImages(registry, proxy.host, options);
    const api = keep(await startApiServer({ crds, ...portOption(apiPort) }));
    return { api, registry, proxy, samples, kubeconfig: api.kubeconfig(), close: () => parts.disposeAsync() };
  } catch (error) {
    await parts.disposeAsync();
    throw error;
  }
}

function portOption(port: number | undefined): { port?: number } {
  return port === undefined ? {} : { port };
}
