import { parseReference, type Keychain, type RegistryClient } from '@buildkeeper/registry-client';
import { failureOf } from '@buildkeeper/retry-policy';

/** Digest that a tag points at now; undefined when there is no such tag. One HEAD as a rule. Throws RegistryError for everything else. */
export async function digestAtTag(
  text: string,
  deps: { readonly registry: RegistryClient; readonly keychain: Keychain },
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    return (await deps.registry.headManifest(parseReference(text), deps.keychain, signal)).digest;
  } catch (error) {
    // That the tag is gone is an answer here and no failure: the image is built again.
    if (failureOf(error)?.reason === 'ImageNotFound') return undefined;
    throw error;
  }
}
