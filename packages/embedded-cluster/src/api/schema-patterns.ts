const patterns = new Map<string, RegExp>();

/** The compiled pattern of a schema. Throws SyntaxError for one that can't be read. */
export function patternOf(text: string): RegExp {
  let pattern = patterns.get(text);
  if (!pattern) {
    pattern = compiled(text);
    patterns.set(text, pattern);
  }
  return pattern;
}

function compiled(text: string): RegExp {
  try {
    return new RegExp(text, 'u');
  } catch {
    // Go takes escapes such as `\-` that JavaScript takes only without the flag.
    return new RegExp(text);
  }
}
