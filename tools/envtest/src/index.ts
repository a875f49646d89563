export { type ApiContent, type ApiResponse } from './api-access.ts';
export { findPrograms, type Environment, type FoundPrograms, type ServerPrograms } from './find-programs.ts';
export { startRealCluster, type RealCluster } from './start-real-cluster.ts';
