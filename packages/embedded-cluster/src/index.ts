export { type FaultAction, type FaultHandle, type FaultRule } from './proxy/fault-rules.ts';
export {
  type FaultProxy,
  type FaultProxyOptions,
  type SeenRequest,
  startFaultProxy,
} from './proxy/start-fault-proxy.ts';
