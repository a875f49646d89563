import {
  pushSampleImages,
  realRootfs,
  startDockerRegistry,
  startFaultProxy,
  startOciRegistry,
  type FaultProxy,
  type SampleImages,
} from '@buildkeeper/embedded-cluster';
import { type ApiUnderTest } from './api-under-test.ts';
import { startEmbeddedApi } from './embedded-api.ts';
import { useRealApi } from './real-api.ts';

/** A user of a registry. */
export interface RegistryUser {
  readonly username: string;
  readonly password: string;
}

/** The registries that the suites run against. */
export const backendKinds = ['embedded', 'docker-registry', 'docker-registry with htpasswd'] as const;

/** One of {@link backendKinds}. */
export type BackendKind = (typeof backendKinds)[number];

/** What a backend is made with. */
export interface BackendOptions {
  readonly kind?: BackendKind;
  /** Default `embedded`; `real` is the kube-apiserver that the test file shares. */
  readonly apiServer?: 'embedded' | 'real';
  /** Media types of the sample images. */
  readonly family?: 'docker' | 'oci';
}

/** An API server, and a registry with the sample images behind a proxy that can fail. */
export interface Backend {
  readonly api: ApiUnderTest;
  readonly proxy: FaultProxy;
  /** References of the sample images, at the proxy. */
  readonly samples: SampleImages;
  /** Who may use the registry; undefined when it is open. */
  readonly user: RegistryUser | undefined;
  close(): Promise<void>;
}

/** Starts a backend. A real registry holds a real base, of Debian's static busybox and bash. */
export async function startBackend(options: BackendOptions): Promise<Backend> {
  const { kind = 'embedded', apiServer = 'embedded', family = 'docker' } = options;
  // First, for it may not be there at all.
  const api = apiServer === 'real' ? await useRealApi() : await startEmbeddedApi();
  const user = kind.endsWith('htpasswd') ? { username: 'robot$builders', password: 'canary-secret-Zx9' } : undefined;
  const registry = kind === 'embedded' ? await startOciRegistry() : await startRealRegistry(user);
  const proxy = await startFaultProxy({ targetPort: registry.port });
  const rootfs = kind === 'embedded' ? undefined : realRootfs();
  if (kind !== 'embedded' && rootfs === undefined) throw new Error('busybox-static and bash-static are not installed');
  const samples = await pushSampleImages({
    registry: proxy.host,
    family,
    ...(user === undefined ? {} : { credential: user }),
    ...(rootfs === undefined ? {} : { rootfs }),
  });
  proxy.resetCounts();
  return {
    api,
    proxy,
    samples,
    user,
    async close() {
      await api.close();
      await proxy.close();
      await registry.close();
    },
  };
}

async function startRealRegistry(user: RegistryUser | undefined) {
  const registry = await startDockerRegistry(user === undefined ? {} : { users: { [user.username]: user.password } });
  if (registry === undefined) throw new Error('docker-registry is not installed');
  return registry;
}
