// The parser of @kubernetes/client-node, taken directly: its own loadYaml brings every generated model along.
import { dump, loadAll } from 'js-yaml';

/**
 * The value of a YAML text, by the parser that kubeconfigs are read with; undefined for an empty one. Throws an Error
 * that names the place, or says that there is more than one document.
 */
export function parseYaml(text: string): unknown {
  const documents: readonly unknown[] = loadAll(text);
  if (documents.length > 1) throw new Error('There is more than one document');
  return documents[0];
}

/** A value as a YAML document; long strings stay on one line. */
export function formatYaml(value: unknown): string {
  return dump(value, { lineWidth: -1 });
}
