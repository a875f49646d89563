export { createMetrics, type Metrics, type MetricsOptions } from './create-metrics.ts';
export type {
  ControllerObserver,
  ControllerSample,
  KubeRequests,
  LeaderObserver,
  QueueObserver,
  ReadyState,
  ReconcileResult,
  RegistryRequests,
  ResourceSample,
  RetryLayer,
  StatusWriteResult,
} from './observer.ts';
