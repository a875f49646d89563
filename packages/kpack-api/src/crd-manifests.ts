import { builderSchemas } from './builder.ts';
import { buildpackSchemas } from './buildpack.ts';
import { clusterBuilderSchemas } from './cluster-builder.ts';
import { clusterBuildpackSchemas } from './cluster-buildpack.ts';
import { clusterLifecycleSchemas } from './cluster-lifecycle.ts';
import { clusterStackSchemas } from './cluster-stack.ts';
import { clusterStoreSchemas } from './cluster-store.ts';
import { crdManifest, type CrdManifest, type KindDefinition, type PrinterColumn } from './crd-manifest.ts';
import {
  builderResource,
  buildpackResource,
  clusterBuilderResource,
  clusterBuildpackResource,
  clusterLifecycleResource,
  clusterStackResource,
  clusterStoreResource,
} from './resources.ts';

const imageColumn = (name: string, jsonPath: string, priority: number): PrinterColumn => ({
  name,
  type: 'string',
  jsonPath,
  description: 'The image with its digest.',
  priority,
});

const kindDefinitions = (): readonly KindDefinition[] => [
  {
    resource: builderResource,
    description: 'A builder image of one namespace, kept up to date with its stack, buildpacks and lifecycle.',
    shortNames: ['bldr', 'bldrs'],
    schemas: builderSchemas,
    columns: [imageColumn('LatestImage', '.status.latestImage', 0)],
  },
  {
    resource: clusterBuilderResource,
    description: 'A builder image for the whole cluster, kept up to date with its stack, buildpacks and lifecycle.',
    shortNames: ['clstbldr', 'clstbldrs'],
    schemas: clusterBuilderSchemas,
    columns: [imageColumn('LatestImage', '.status.latestImage', 0)],
  },
  {
    resource: clusterStoreResource,
    description: 'Buildpacks for the whole cluster, from a list of images.',
    shortNames: [],
    schemas: clusterStoreSchemas,
    columns: [],
  },
  {
    resource: clusterStackResource,
    description: 'A base image and a run image for the whole cluster.',
    shortNames: [],
    schemas: clusterStackSchemas,
    columns: [
      imageColumn('BuildImage', '.status.buildImage.latestImage', 1),
      imageColumn('RunImage', '.status.runImage.latestImage', 1),
    ],
  },
  {
    resource: clusterLifecycleResource,
    description: 'A lifecycle for the whole cluster: the programs that a builder image runs.',
    shortNames: [],
    schemas: clusterLifecycleSchemas,
    columns: [imageColumn('LatestImage', '.status.image.latestImage', 1)],
  },
  {
    resource: buildpackResource,
    description: 'Buildpacks of one image, for one namespace.',
    shortNames: ['bp', 'bps'],
    schemas: buildpackSchemas,
    columns: [],
  },
  {
    resource: clusterBuildpackResource,
    description: 'Buildpacks of one image, for the whole cluster.',
    shortNames: ['clstbp', 'clstbps'],
    schemas: clusterBuildpackSchemas,
    columns: [],
  },
];

/** The CustomResourceDefinitions of all seven kinds. A fresh value at each call. */
export const crdManifests = (): readonly CrdManifest[] => kindDefinitions().map(crdManifest);
