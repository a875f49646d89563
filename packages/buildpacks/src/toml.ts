import { type OrderEntry } from '@buildkeeper/kpack-api';

/** Text of `/cnb/stack.toml`: the run image for lifecycles below Platform API 0.12. */
export function stackToml(runImage: string): string {
  return `[run-image]\n  image = ${basicString(runImage)}\n`;
}

/** Text of `/cnb/run.toml`: the run images for lifecycles from Platform API 0.12 on; the first one is the default. */
export function runToml(runImages: readonly string[]): string {
  return runImages.map((image) => `[[images]]\n  image = ${basicString(image)}\n`).join('\n');
}

/** Text of `/cnb/order.toml`, laid out as Go's encoder does it: the digest of its layer is compared with other tools' layers. */
export function orderToml(order: readonly OrderEntry[]): string {
  return order.map((entry) => `[[order]]\n${(entry.group ?? []).map(groupEntry).join('')}`).join('\n');
}

function groupEntry(entry: NonNullable<OrderEntry['group']>[number]): string {
  const lines = [
    `    id = ${basicString(entry.id)}`,
    `    version = ${basicString(entry.version ?? '')}`,
    ...(entry.optional === true ? ['    optional = true'] : []),
  ];
  return `\n  [[order.group]]\n${lines.join('\n')}\n`;
}

const escapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\f': '\\f',
  '\r': '\\r',
};

/** @see https://toml.io/en/v1.0.0#string */
function basicString(text: string): string {
  // Ids come from images that nobody vouches for: control characters must not end the string or the file.
  const escaped = text.toWellFormed().replace(/["\\\u0000-\u001f\u007f]/g, (character) => {
    const code = character.charCodeAt(0).toString(16).padStart(4, '0');
    return escapes[character] ?? `\\u${code}`;
  });
  return `"${escaped}"`;
}
