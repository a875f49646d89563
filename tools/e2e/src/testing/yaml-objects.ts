import { collectionOf } from '../api-under-test.ts';

/** An object as it stands in a YAML file, and its place in the REST API. */
export interface YamlObject {
  /** `Builder sample`. */
  readonly title: string;
  readonly text: string;
  readonly namespace: string | undefined;
  readonly collection: string;
  readonly path: string;
  /** What its annotation `field` says. */
  readonly field: string | undefined;
}

/** Splits a file into its objects without reading them: the server is to read what a person wrote. */
export function readYamlObjects(file: string): YamlObject[] {
  return file.split(/^---$/m).map((text) => {
    const one = (pattern: RegExp) => pattern.exec(text)?.[1];
    const [apiVersion = '', kind = ''] = [one(/^apiVersion: (\S+)$/m), one(/^kind: (\S+)$/m)];
    const name = one(/^metadata: \{.*?\bname: ([^\s,}]+)/m) ?? '';
    const namespace = one(/^metadata: \{.*?\bnamespace: ([^\s,}]+)/m);
    const metadata = namespace === undefined ? { name } : { name, namespace };
    const collection = collectionOf({ apiVersion, kind, metadata });
    const field = one(/^metadata: \{.*?\bfield: '([^']+)'/m);
    return { title: `${kind} ${name}`, text, namespace, collection, path: `${collection}/${name}`, field };
  });
}
