import { ClassifiedError, type Failure } from '@buildkeeper/retry-policy';

/** What one HTTP exchange is for: the `operation` that observers see. */
export type RegistryOperation = 'ping' | 'token' | 'manifest' | 'blob' | 'upload';

/** Which part a host plays in a call: the registry itself, its token service, or the storage it redirects to. */
export type HostRole = 'registry' | 'token' | 'storage';

/** What happened, before anyone judges it. */
export type RegistryFault =
  | {
      readonly kind: 'status';
      readonly status: number;
      /** First error code of the body, for instance `MANIFEST_UNKNOWN`. */
      readonly registryCode?: string;
      /** The registry's own words, already shortened and free of numbers, ids and secrets. */
      readonly registryMessage?: string;
      readonly retryAfterMs?: number;
    }
  /** The exchange broke. `hasResponse`: after the head of the response had been read. */
  | { readonly kind: 'broken'; readonly error: unknown; readonly hasResponse: boolean }
  /** One exchange took longer than its total time-out. */
  | { readonly kind: 'overdue' }
  /** An answer that can't be what was asked for, such as other bytes than the digest says; may be right next time. */
  | { readonly kind: 'unexpected'; readonly detail: string }
  /** The bytes are what their digest says, and are of no use. */
  | { readonly kind: 'unusable'; readonly detail: string }
  /** A reference that can't be parsed. */
  | { readonly kind: 'malformedReference'; readonly detail: string }
  /** The registry sent us on to plain HTTP at a host for which that is not permitted. */
  | { readonly kind: 'insecure'; readonly host: string }
  /** A 401 whose challenge offers nothing that this client speaks. */
  | { readonly kind: 'unsupportedChallenge'; readonly schemes: readonly string[] }
  /** The caller's signal aborted. */
  | { readonly kind: 'aborted'; readonly error: unknown };

/** Where on the wire a fault was met. */
export interface FaultSite {
  /** `scheme://host:port` that was dialled. */
  readonly origin: string;
  readonly role: HostRole;
  readonly operation: RegistryOperation;
  readonly method: string;
}

/** What was being done when a fault was met, and for whom. */
export interface Attempt {
  /** Completes "Cannot …": `read manifest`. */
  readonly action: string;
  /** The image or blob, as a canonical reference. */
  readonly subject: string;
  /** Repository within the registry, without the host. */
  readonly repository?: string;
  /** Hash of the credential in use. */
  readonly credential?: string;
  /** Whether the whole action may be done again: it is idempotent, and its body can be sent again. */
  readonly isReplayable: boolean;
  /** Whether this upload may still be started afresh. Undefined for all that is no upload. */
  readonly canRestart?: boolean;
  /** Size of what is sent. */
  readonly sizeBytes?: number;
  /** Names of Secrets that are listed but do not exist. */
  readonly missingSecrets?: readonly string[];
  /** Names of Secrets that exist and could not be understood. */
  readonly brokenSecrets?: readonly string[];
}

/** A fault on its way to the one place that judges it. Never leaves this package. */
export class WireFault extends Error {
  readonly fault: RegistryFault;
  readonly site: FaultSite;

  constructor(fault: RegistryFault, site: FaultSite) {
    super(fault.kind, 'error' in fault ? { cause: fault.error } : undefined);
    this.name = 'WireFault';
    this.fault = fault;
    this.site = site;
  }
}

/** Every error that this package throws on purpose. `failure` says what to do about it; `message` is stable text. */
export class RegistryError extends ClassifiedError {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message, failure.cause === undefined ? undefined : { cause: failure.cause });
    this.name = 'RegistryError';
    this.failure = failure;
  }
}
