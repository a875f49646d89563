import { stringify } from 'yaml';
import { crdManifests } from './crd-manifests.ts';

/** YAML text of every CustomResourceDefinition by the name of its file, such as `builders.yaml`. */
export const generateCrds = (): Map<string, string> =>
  new Map(
    crdManifests().map((manifest) => [
      `${manifest.metadata.name.split('.')[0] ?? ''}.yaml`,
      // Anchors would come from fields that are declared once and used twice.
      stringify(manifest, { aliasDuplicateObjects: false, lineWidth: 0 }),
    ]),
  );
