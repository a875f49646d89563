/** A JSON object whose members nobody has checked yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The object that the bytes spell, or undefined when they spell anything else. */
export function parseJsonObject(bytes: Uint8Array): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'));
    return isJsonObject(value) ? value : undefined;
  } catch {
    // What is no JSON is a case like any other; the caller knows what it means.
    return undefined;
  }
}

/** Whether a JSON value is an object, and no array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
