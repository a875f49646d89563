export { openCluster, type ClusterApi } from './cluster-api.ts';
export {
  bundleOf,
  controllerNames,
  startController,
  type ControllerName,
  type ControllerProcess,
  type ControllerStart,
} from './controller-process.ts';
export { parseSamples, sumOf, type Sample } from './metrics-text.ts';
export { isSettled, stateOf, type ObjectState, type WatchedObject } from './object-state.ts';
export {
  sampleBuilder,
  sampleClusterBuilder,
  sampleObjects,
  type SampleObject,
  type SampleReferences,
} from './samples.ts';
