import { describe, expect, it } from 'vitest';
import { dependencyOf } from './dependency.ts';

const object = (...conditions: readonly object[]) => ({
  metadata: { name: 'base', uid: '1', resourceVersion: '1' },
  status: { conditions },
});
const refused = 'Cannot read manifest registry.example/base: connection refused (ECONNREFUSED)';

describe('dependencyOf', () => {
  it.each([
    {
      because: 'nobody made it',
      found: undefined,
      want: { isReady: false, isUpToDate: false, message: 'ClusterStack base does not exist' },
    },
    {
      because: 'its controller has not come to it',
      found: object(),
      want: { isReady: false, isUpToDate: false, message: 'ClusterStack base has not been looked at yet' },
    },
    {
      because: 'it failed before it was ever good',
      found: object({ type: 'Ready', status: 'False', reason: 'RegistryUnavailable', message: refused }),
      want: {
        isReady: false,
        isUpToDate: false,
        message: `ClusterStack base is not ready: RegistryUnavailable: ${refused}`,
      },
    },
    {
      because: 'it was good and could not be read again',
      found: object({ type: 'Ready', status: 'True' }, { type: 'UpToDate', status: 'False', reason: 'RegistryError' }),
      want: { isReady: true, isUpToDate: false, message: 'ClusterStack base is not up to date: RegistryError' },
    },
    {
      because: 'it is good',
      found: object({ type: 'Ready', status: 'True' }, { type: 'UpToDate', status: 'True' }),
      want: { isReady: true, isUpToDate: true, message: 'ClusterStack base is ready' },
    },
    {
      because: 'kpack wrote its conditions, without UpToDate and without reasons',
      found: object({ type: 'Ready', status: 'False' }),
      want: { isReady: false, isUpToDate: false, message: 'ClusterStack base is not ready' },
    },
  ])('judges $because', ({ found, want }) => {
    expect(dependencyOf('ClusterStack', 'base', found)).toEqual({ object: found, ...want });
  });
});
