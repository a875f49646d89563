export { conditionOf, type Condition } from './conditions.ts';
export type { HostOverride } from './config-file.ts';
export {
  defineController,
  type AnyController,
  type ControllerDefinition,
  type ControllerEnv,
  type ReconcileContext,
  type WatchDefinition,
} from './controller-definition.ts';
export { environmentName, flags, helpText, type Flag, type FlagKind } from './flags.ts';
export type { HttpAddress } from './http-address.ts';
export type { Logger } from './log.ts';
export { failed, ready, specInvalid, waitingOn, type Outcome } from './outcome.ts';
export { runControllers, type RuntimeOptions } from './process-runtime.ts';
export { requestAnnotation } from './reconcile-request.ts';
export { run } from './run.ts';
export { readCommand, type Command, type CommandInputs, type RegistrySettings, type Settings } from './settings.ts';
export { dependencyOf, type Dependency } from './dependency.ts';
