import type { FailureClass, FailureReason } from '@buildkeeper/retry-policy';

/** What a person is told of a reason. */
export interface ReasonText {
  readonly meaning: string;
  /** Classes that a failure of this reason can have, the usual one first; none for what is no failure. */
  readonly classes: readonly FailureClass[];
  /** Where to look first. */
  readonly firstLook: string;
  readonly cure: string;
}

/** Every reason: a word that is missing here does not compile. */
export const reasonTexts: Readonly<Record<FailureReason, ReasonText>> = {
  Succeeded: {
    meaning: 'The status is what the spec asks for, freshly read.',
    classes: [],
    firstLook: 'nothing to do',
    cure: 'none needed',
  },
  DependencyNotReady: {
    meaning: 'It waits for another object, which the message names with its own reason.',
    classes: [],
    firstLook: 'the object that the message names',
    cure: 'create or mend that object; this one follows at once',
  },
  RegistryUnavailable: {
    meaning: 'No connection: refused, reset, no route, or no such host name.',
    classes: ['transient'],
    firstLook: '`status.retry.host` and the code in the message, from a pod of the same cluster',
    cure: 'bring the registry, its name or the route back; nothing to do afterwards',
  },
  RegistryTimeout: {
    meaning: 'The registry did not connect or answer in time, or stopped in the middle.',
    classes: ['transient'],
    firstLook: 'load of the registry; a firewall that drops packets',
    cure: 'relieve the registry; for one that is always slow raise its time-outs in `--config`',
  },
  RegistryError: {
    meaning: 'The registry answered 5xx, or refused to read as it was asked.',
    classes: ['transient', 'invalid'],
    firstLook: 'the status in the message and the log of the registry or of the proxy before it',
    cure: 'mend the registry; after a 4xx of a proxy ask for a look',
  },
  RegistryThrottled: {
    meaning: 'The registry asked for fewer requests: 429, or 503 with Retry-After.',
    classes: ['throttled'],
    firstLook: '`status.retry.nextAttemptTime`; whether the limit is for anonymous users',
    cure: 'wait; use credentials with a higher limit, or a mirror',
  },
  TokenServiceUnavailable: {
    meaning: 'The service that gives out tokens for the registry failed; the message names its host.',
    classes: ['transient'],
    firstLook: 'the host after "token service" in the message',
    cure: 'bring the token service back; nothing to do afterwards',
  },
  TLSVerificationFailed: {
    meaning: 'The certificate cannot be trusted, TLS does not come about, or a redirect leads to plain HTTP.',
    classes: ['transient'],
    firstLook: '`openssl s_client -connect HOST:443 -servername HOST`',
    cure: 'renew the certificate, or give its CA with `--registry-ca`; plain HTTP has to be listed',
  },
  EgressUnavailable: {
    meaning: 'The controller itself can open no connections: out of files, memory, ports or network.',
    classes: ['transient'],
    firstLook: 'limits and memory of the pod, the network of the node',
    cure: 'raise the limit or move the pod',
  },
  AuthenticationFailed: {
    meaning: 'The registry or its token service answered 401 or 407.',
    classes: ['auth'],
    firstLook: 'the ServiceAccount, its Secrets and their registry host; the message names Secrets that do not exist',
    cure: 'mend the Secret or list it in the ServiceAccount; it is tried at once',
  },
  AuthorizationDenied: {
    meaning: 'The registry knows the user and forbids the request: 402, 403 or 451.',
    classes: ['auth'],
    firstLook: 'whether it was a read or a write, and the rights of the user on that repository',
    cure: 'grant the right, then ask for a look; or change the Secret',
  },
  ImageNotFound: {
    meaning: 'There is no such image, repository or blob: 404 or 410.',
    classes: ['notFound'],
    firstLook: 'the reference in the message, letter for letter',
    cure: 'push the image, or correct the reference',
  },
  UnexpectedContent: {
    meaning: 'The answer is not what was asked for: a web page, another digest, broken JSON, another length.',
    classes: ['transient'],
    firstLook: 'a proxy or login page between the cluster and the registry',
    cure: 'take the proxy out of the way',
  },
  UploadRejected: {
    meaning: 'The registry did not take what was pushed, or lost it on the way.',
    classes: ['transient', 'invalid'],
    firstLook: 'the code in the message; size limits, immutable tags, media types of the registry',
    cure: 'change the rule of the registry, then ask for a look; or another `spec.tag`',
  },
  ImageInvalid: {
    meaning: 'An image was read and cannot be used: a label, its platform, its mixins, an API version.',
    classes: ['invalid'],
    firstLook: 'the message: it names the image and what is wrong with it',
    cure: 'push a fitting image to the same tag and ask for a look, or name another one',
  },
  SpecInvalid: {
    meaning: 'The spec asks for what cannot be; the message names the field.',
    classes: ['invalid'],
    firstLook: 'the field in the message',
    cure: 'correct the spec; it is tried at once',
  },
  BuildpackNotFound: {
    meaning: 'No source that was read offers the buildpack, or not in this version.',
    classes: ['invalid'],
    firstLook: '`status.buildpacks` of the store; the message lists versions that are there',
    cure: 'add the image to the ClusterStore, or correct id or version in the order',
  },
  KubernetesAPIError: {
    meaning: 'The Kubernetes API refused or failed while a Secret or ServiceAccount was read.',
    classes: ['transient', 'auth', 'throttled', 'notFound', 'invalid'],
    firstLook: 'the message; a 403 names the right that the controller lacks',
    cure: 'grant the right, or wait for the API server',
  },
  Conflict: {
    meaning: 'Another program wrote the object at the same time. Seen in metrics and debug logs only.',
    classes: ['conflict'],
    firstLook: 'if it does not end: a second program that writes the same status, such as kpack',
    cure: 'stop the other program',
  },
  ReconcileTimeout: {
    meaning: 'The whole look did not end within `--reconcile-timeout`.',
    classes: ['transient'],
    firstLook: 'a registry that is slow but answers; very large layers copied between registries',
    cure: 'raise `--reconcile-timeout`, or keep base images in the registry of the builder',
  },
  Unknown: {
    meaning: 'A failure that no table knows: a gap or a defect of buildkeeper. It is retried like an outage.',
    classes: ['transient'],
    firstLook: 'the log of the controller, level error',
    cure: 'report it, with that line of the log',
  },
};
