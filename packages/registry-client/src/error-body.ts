import { parseRetryAfterMs } from '@buildkeeper/retry-policy';
import { WireFault, type RegistryFault } from './errors.ts';
import { isJsonObject, parseJsonObject } from './json.ts';
import type { WireResponse } from './response.ts';

/**
 * Turns an answer that is an error into a fault, consuming its body.
 *
 * @param secrets texts that must not be quoted
 * @param nowMs milliseconds since the epoch, for a Retry-After that is a date
 */
export async function faultOfResponse(
  response: WireResponse,
  limits: { readonly errorBodyBytes: number; readonly secrets: readonly string[] },
  nowMs: number,
): Promise<WireFault> {
  const quoted = await readError(response, limits);
  const retryAfterMs = parseRetryAfterMs(response.header('retry-after'), response.header('date'), nowMs);
  const fault: RegistryFault = {
    kind: 'status',
    status: response.status,
    ...quoted,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
  return new WireFault(fault, response.site);
}

interface Quoted {
  readonly registryCode?: string;
  readonly registryMessage?: string;
}

async function readError(
  response: WireResponse,
  limits: { readonly errorBodyBytes: number; readonly secrets: readonly string[] },
): Promise<Quoted> {
  let bytes: Uint8Array;
  try {
    ({ bytes } = await response.read(limits.errorBodyBytes));
  } catch {
    // The status is known and says more than the loss of its explanation.
    return {};
  }
  return quoteError(bytes, limits.secrets);
}

/**
 * Code and message of the first error in a body of the OCI distribution specification; nothing of any other body.
 * The message is cut to 100 characters, and every word with a digit in it becomes `…`: what remains is the same
 * tomorrow and holds no address, id or time. A message that holds a secret is dropped.
 */
export function quoteError(body: Uint8Array, secrets: readonly string[]): Quoted {
  const errors = parseJsonObject(body)?.['errors'];
  const first: unknown = Array.isArray(errors) ? errors[0] : undefined;
  if (!isJsonObject(first)) return {};
  const { code, message } = first;
  const registryCode = typeof code === 'string' && /^[A-Z][A-Z_]{1,63}$/.test(code) ? code : undefined;
  const registryMessage = typeof message === 'string' ? stableText(message, secrets) : undefined;
  return {
    ...(registryCode !== undefined && { registryCode }),
    ...(registryMessage !== undefined && registryMessage !== '' && { registryMessage }),
  };
}

function stableText(message: string, secrets: readonly string[]): string {
  if (secrets.some((secret) => message.includes(secret))) return '';
  return message
    .slice(0, 500)
    .replace(/[^\x20-\x7e]+/g, ' ')
    .split(/\s+/)
    .map((word) => (/\d|\?|=|:\/\//.test(word) || word.length > 40 ? '…' : word))
    .join(' ')
    .slice(0, 100)
    .trim();
}
