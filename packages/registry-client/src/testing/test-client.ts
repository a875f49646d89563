import { createSystemClock, failureOf, type Failure } from '@buildkeeper/retry-policy';
import { createRegistryClient, type RegistryClient, type RegistryClientOptions } from '../index.ts';

/** A client with short time-outs, and what it told its observer. */
export interface TestClient {
  readonly client: RegistryClient;
  /** "operation code" of each exchange. */
  readonly exchanges: readonly string[];
  /** Exchanges that broke. */
  brokenCount(): number;
  /** Reason of each retry inside a call. */
  readonly retries: readonly string[];
  /** Every `host` that was reported. */
  readonly hosts: ReadonlySet<string>;
  reset(): void;
}

/** A client for tests: real sockets, the real clock, waits of a millisecond. */
export function createTestClient(options: Partial<RegistryClientOptions> = {}): TestClient {
  const exchanges: string[] = [];
  const retries: string[] = [];
  const hosts = new Set<string>();
  const client = createRegistryClient({
    clock: createSystemClock(),
    random: () => 0,
    plainHttpHosts: ['127.0.0.1', '[::1]', 'registry.invalid'],
    requestPace: { baseDelayMs: 1, factor: 1, maxDelayMs: 1 },
    connectTimeoutMs: 300,
    headersTimeoutMs: 300,
    bodyTimeoutMs: 300,
    observer: {
      requestFinished({ host, operation, code }) {
        hosts.add(host);
        exchanges.push(`${operation} ${code}`);
      },
      retryScheduled({ reason }) {
        retries.push(reason);
      },
    },
    ...options,
  });
  return {
    client,
    exchanges,
    retries,
    hosts,
    brokenCount: () => exchanges.filter((one) => one.endsWith('<error>')).length,
    reset() {
      exchanges.length = 0;
      retries.length = 0;
      hosts.clear();
    },
  };
}

/** A signal that never aborts. */
export function never(): AbortSignal {
  return new AbortController().signal;
}

/** The failure that a call ends with. Fails the test when it succeeds or throws anything unjudged. */
export async function failureFrom(call: Promise<unknown>): Promise<Failure> {
  try {
    await call;
  } catch (error) {
    const failure = failureOf(error);
    if (failure !== undefined) return failure;
    throw error;
  }
  throw new Error('the call succeeded');
}
