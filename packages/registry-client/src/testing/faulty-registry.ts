import { startFaultProxy, startOciRegistry, type FaultProxy, type OciRegistry } from '@buildkeeper/embedded-cluster';
import { parseReference, type ImageReference } from '../reference.ts';
import { testImage, type TestImage } from './images.ts';

/** A registry that holds one image, behind a proxy that makes faults. */
export interface FaultyRegistry {
  readonly registry: OciRegistry;
  readonly proxy: FaultProxy;
  /** What `team/run:1` is. */
  readonly image: TestImage;
  /** `team/run:1`, through the proxy. */
  readonly reference: ImageReference;
  /** Takes all faults out and forgets what was counted. */
  reset(): void;
  close(): Promise<void>;
}

/** Starts a registry with an image, and the proxy in front of it. */
export async function startFaultyRegistry(): Promise<FaultyRegistry> {
  const image = testImage('run');
  const registry = await startOciRegistry();
  const proxy = await startFaultProxy({ targetPort: registry.port });
  for (const blob of [image.config, image.layer]) registry.putBlob('team/run', blob);
  registry.putManifest('team/run', '1', { bytes: image.manifest, mediaType: image.mediaType });
  return {
    registry,
    proxy,
    image,
    reference: parseReference(`${proxy.host}/team/run:1`),
    reset() {
      proxy.clear();
      proxy.resetCounts();
      registry.resetCounts();
    },
    async close() {
      await proxy.close();
      await registry.close();
    },
  };
}
