import { startApiServer } from '@buildkeeper/embedded-cluster';
import { crdManifests } from '@buildkeeper/kpack-api';
import { type ApiUnderTest } from './api-under-test.ts';

/** An embedded API server of its own. */
export async function startEmbeddedApi(): Promise<ApiUnderTest> {
  const api = await startApiServer({ crds: crdManifests() });
  return {
    kubeconfig: api.kubeconfig(),
    async apply(object) {
      await api.apply(object);
    },
    async get(path) {
      // Over the network, so that it is what any client reads.
      const response = await fetch(`${api.url}${path}`);
      if (!response.ok) throw new Error(`${path} answered ${response.status}`);
      return (await response.json()) as Readonly<Record<string, unknown>>;
    },
    statusWrites: () =>
      api.requests.filter((request) => request.method === 'PATCH' && request.path.endsWith('/status')).length,
    close: () => api.close(),
  };
}
