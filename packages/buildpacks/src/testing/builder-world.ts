import {
  pushImage,
  pushSampleImages,
  startFaultProxy,
  startOciRegistry,
  type FaultProxy,
  type ImageFamily,
  type OciRegistry,
  type SampleImage,
  type SampleImages,
  type SampleIndex,
} from '@buildkeeper/embedded-cluster';
import {
  anonymousKeychain,
  createRegistryClient,
  type Keychain,
  type RegistryClient,
} from '@buildkeeper/registry-client';
import { createSystemClock } from '@buildkeeper/retry-policy';
import { type BuilderInput } from '../build-builder.ts';
import { readLifecycle } from '../read-lifecycle.ts';
import { readStack } from '../read-stack.ts';
import { readStore } from '../read-store.ts';

/** A registry with the sample images behind a proxy, and a client that talks to it through the proxy. */
export interface BuilderWorld {
  readonly registry: OciRegistry;
  readonly proxy: FaultProxy;
  readonly client: RegistryClient;
  readonly samples: SampleImages;
  readonly signal: AbortSignal;
  /** Input of a builder of the sample composite, read from the registry. */
  input(changes?: Partial<BuilderInput>): Promise<BuilderInput>;
  /** Puts an image into the registry, past the proxy; answers its reference and digest. */
  put(repository: string, tag: string, image: SampleImage | SampleIndex): Promise<{ text: string; digest: string }>;
  /** Reference of a name in the registry, by way of the proxy. */
  reference(name: string): string;
  close(): Promise<void>;
}

/** Starts a world on real sockets of the loopback address. */
export async function startBuilderWorld(family: ImageFamily = 'docker'): Promise<BuilderWorld> {
  const registry = await startOciRegistry();
  const proxy = await startFaultProxy({ targetPort: registry.port });
  const samples = await pushSampleImages({ registry: proxy.host, family });
  const client = createTestClient([proxy.host]);
  const { signal } = new AbortController();
  return {
    registry,
    proxy,
    client,
    samples,
    signal,
    input: async (changes = {}) => ({ ...(await sampleInput(client, samples, { host: proxy.host })), ...changes }),
    put: async (repository, tag, image) => {
      const digest = await pushImage(registrySink(registry), { repository, tag }, image);
      return { text: `${proxy.host}/${repository}:${tag}`, digest };
    },
    reference: (name) => `${proxy.host}/${name}`,
    close: async () => {
      await client.close();
      await proxy.close();
      await registry.close();
    },
  };
}

function registrySink(registry: OciRegistry): Parameters<typeof pushImage>[0] {
  return {
    putBlob: (repository, bytes) => registry.putBlob(repository, bytes),
    putManifest: (repository, reference, manifest) => registry.putManifest(repository, reference, manifest),
  };
}

/** A client without retries, that speaks plain HTTP to these hosts. */
export function createTestClient(plainHttpHosts: readonly string[]): RegistryClient {
  return createRegistryClient({
    clock: createSystemClock(),
    random: () => 0.5,
    requestAttempts: 1,
    plainHttpHosts,
    headersTimeoutMs: 2000,
    bodyTimeoutMs: 2000,
  });
}

/** Input of a builder of the sample composite that is written to `host`; the sources are read, and opened, with one keychain. */
export async function sampleInput(
  registry: RegistryClient,
  samples: SampleImages,
  options: { readonly host: string; readonly sourceKeychain?: Keychain; readonly ownKeychain?: Keychain },
): Promise<BuilderInput> {
  const { host, sourceKeychain: keychain = anonymousKeychain, ownKeychain = anonymousKeychain } = options;
  const deps = { registry };
  const { signal } = new AbortController();
  const stackSpec = {
    id: samples.stackId,
    buildImage: { image: samples.buildImage },
    runImage: { image: samples.runImage },
  };
  const sources = samples.buildpackages.map((image) => ({ image }));
  const store = await readStore(sources, [], deps, keychain, signal);
  return {
    builder: { kind: 'Builder', namespace: 'team', name: 'sample' },
    spec: { tag: `${host}/team/builder`, order: [{ group: [{ id: 'sample/hello-universe' }] }] },
    keychain: ownKeychain,
    stack: { resolved: await readStack(stackSpec, deps, keychain, signal), keychain },
    lifecycle: { resolved: await readLifecycle({ image: samples.lifecycle }, deps, keychain, signal), keychain },
    sources: [{ kind: 'ClusterStore', name: 'default', buildpacks: store.buildpacks, keychain }],
  };
}
