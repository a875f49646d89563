import { createKeychains, type Keychains } from '@buildkeeper/keychain';
import { createRegistryClient, type RegistryClient, type RegistryClientOptions } from '@buildkeeper/registry-client';

/** What a controller that reads images works with. */
export interface RegistryDeps {
  readonly registry: RegistryClient;
  readonly keychains: Keychains;
}

/** What a controller's environment has to offer for that. */
export interface RegistryEnv {
  readonly clock: RegistryClientOptions['clock'];
  readonly random: RegistryClientOptions['random'];
  readonly kube: Parameters<typeof createKeychains>[0]['client'];
  readonly observer: { readonly registry: NonNullable<RegistryClientOptions['observer']> };
  readonly readRegistryCa: NonNullable<RegistryClientOptions['readCa']>;
  readonly settings: {
    readonly registry: Omit<RegistryClientOptions, 'clock' | 'random'> & {
      readonly overrides: NonNullable<RegistryClientOptions['hostOverrides']>;
    };
  };
}

/** The registry client and the keychains of one controller. */
export function createRegistryDeps(env: RegistryEnv): RegistryDeps {
  const { overrides, ...settings } = env.settings.registry;
  return {
    registry: createRegistryClient({
      ...settings,
      hostOverrides: overrides,
      clock: env.clock,
      random: env.random,
      observer: env.observer.registry,
      readCa: env.readRegistryCa,
    }),
    keychains: createKeychains({ client: env.kube }),
  };
}
