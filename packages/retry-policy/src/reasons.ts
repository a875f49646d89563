/**
 * Why an attempt ended as it did: one closed list, used as the reason of conditions, as the reason of Events and
 * as the value of the metric label `reason`. Adding a word here is a change of the API that users alert on.
 */
export const failureReasons = [
  'Succeeded',
  'DependencyNotReady',
  'RegistryUnavailable',
  'RegistryTimeout',
  'RegistryError',
  'RegistryThrottled',
  'TokenServiceUnavailable',
  'TLSVerificationFailed',
  'EgressUnavailable',
  'AuthenticationFailed',
  'AuthorizationDenied',
  'ImageNotFound',
  'UnexpectedContent',
  'UploadRejected',
  'ImageInvalid',
  'SpecInvalid',
  'BuildpackNotFound',
  'KubernetesAPIError',
  'Conflict',
  'ReconcileTimeout',
  'Unknown',
] as const;

/** One word of {@link failureReasons}. */
export type FailureReason = (typeof failureReasons)[number];
