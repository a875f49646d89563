import { KubeError, type Lease, type LeaseClient, type LeaseSpec } from '@buildkeeper/kube-client';
import { failure } from './widget.ts';

/** One Lease as an API server keeps it: a write needs the version that was read. Any client can be cut off from it. */
export class LeaseServer {
  lease: Lease | undefined;
  writes = 0;
  #version = 0;
  readonly #unreachable = new Set<string>();
  readonly #hanging = new Set<string>();

  /** Makes every call of a client fail from now on, or never answer. */
  cutOff(client: string, how: 'refused' | 'hanging' = 'refused'): void {
    (how === 'refused' ? this.#unreachable : this.#hanging).add(client);
  }

  /** Lets a client's calls through again. */
  restore(client: string): void {
    this.#unreachable.delete(client);
    this.#hanging.delete(client);
  }

  /** The calls of one client. */
  clientOf(name: string): LeaseClient {
    return {
      get: async (signal) => {
        await this.#travel(name, signal);
        return this.lease;
      },
      create: async (spec, signal) => {
        await this.#travel(name, signal);
        if (this.lease !== undefined) throw conflict();
        return this.#store(spec);
      },
      replace: async (read, spec, signal) => {
        await this.#travel(name, signal);
        if (this.lease?.metadata.resourceVersion !== read.metadata.resourceVersion) throw conflict();
        return this.#store(spec);
      },
    };
  }

  #store(spec: LeaseSpec): Lease {
    this.writes += 1;
    this.#version += 1;
    const metadata = { name: 'buildkeeper-widget', namespace: 'default', uid: 'lease' };
    this.lease = { metadata: { ...metadata, resourceVersion: String(this.#version) }, spec };
    return this.lease;
  }

  async #travel(name: string, signal: AbortSignal): Promise<void> {
    if (this.#unreachable.has(name)) throw new KubeError(failure({ reason: 'KubernetesAPIError' }));
    if (this.#hanging.has(name)) {
      await new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          reject(signal.reason as Error);
        });
      });
    }
    await Promise.resolve();
  }
}

function conflict(): KubeError {
  return new KubeError(failure({ class: 'conflict', reason: 'Conflict', httpStatus: 409 }));
}
