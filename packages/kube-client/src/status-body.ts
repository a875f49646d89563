import type { StatusBody } from './classify.ts';

/** More of a refusal is not read: a usual Status is a few hundred bytes. */
const maxStatusBytes = 64 * 1024;

/** What the server says about its refusal, if it says it as a Status object. */
export async function readStatus(body: AsyncIterable<Buffer>): Promise<StatusBody | undefined> {
  try {
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    for await (const chunk of body) {
      sizeBytes += chunk.length;
      if (sizeBytes > maxStatusBytes) return undefined;
      chunks.push(chunk);
    }
    return statusBodyFrom(JSON.parse(Buffer.concat(chunks).toString('utf8')));
  } catch {
    // A proxy's page, or a body cut short: the status code alone is enough to judge by.
    return undefined;
  }
}

/** Picks what is needed out of a parsed Status; undefined for anything else. */
export function statusBodyFrom(parsed: unknown): StatusBody | undefined {
  if (typeof parsed !== 'object' || parsed === null || !('kind' in parsed) || parsed.kind !== 'Status')
    return undefined;
  return {
    ...('reason' in parsed && typeof parsed.reason === 'string' ? { reason: parsed.reason } : {}),
    ...('message' in parsed && typeof parsed.message === 'string' ? { message: parsed.message } : {}),
  };
}
