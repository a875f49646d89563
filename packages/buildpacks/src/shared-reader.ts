import { credentialHash, parseReference, type Keychain } from '@buildkeeper/registry-client';
import { type Clock } from '@buildkeeper/retry-policy';

/** One read of an image for everybody in the process who wants the same. */
export interface SharedReader<T> {
  /**
   * What `image` (the reference as written) holds, at most one refresh interval old. Callers with the same credential
   * for it share one read, which is stopped only when all of them have aborted: what one credential may read, or may
   * not, says nothing of another. A failure goes to those who waited for it and is forgotten: the next caller reads
   * again. Throws RegistryError for what is no reference.
   */
  read(image: string, keychain: Keychain, signal: AbortSignal): Promise<T>;
}

/** What a shared reader is made of. */
export interface SharedReaderOptions<T> {
  /** Reads the image now. `previous` is the last result, which may serve to skip what can't have changed. */
  readonly readNow: (image: string, keychain: Keychain, signal: AbortSignal, previous: T | undefined) => Promise<T>;
  readonly refreshIntervalMs: number;
  readonly clock: Clock;
}

interface Known<T> {
  readonly value: T;
  readonly readAtMs: number;
}

interface Flight<T> {
  readonly result: Promise<T>;
  readonly abort: AbortController;
  waiterCount: number;
}

/** Images that nobody asks for any more must not stay for ever. */
const maxImages = 1000;

/** A reader that a thousand objects can share at the cost of one. */
export function createSharedReader<T>(options: SharedReaderOptions<T>): SharedReader<T> {
  const known = new Map<string, Known<T>>();
  const flights = new Map<string, Flight<T>>();

  function takeOff(key: string, image: string, keychain: Keychain): Flight<T> {
    const abort = new AbortController();
    const result = options.readNow(image, keychain, abort.signal, known.get(key)?.value).then((value) => {
      known.delete(key);
      known.set(key, { value, readAtMs: options.clock.monotonicMs() });
      const [oldest] = known.keys();
      if (known.size > maxImages && oldest !== undefined) known.delete(oldest);
      return value;
    });
    const flight: Flight<T> = { result, abort, waiterCount: 0 };
    flights.set(key, flight);
    const land = () => {
      forget(key, flight);
    };
    result.then(land, land);
    return flight;
  }

  function forget(key: string, flight: Flight<T>): void {
    if (flights.get(key) === flight) flights.delete(key);
  }

  return {
    async read(image, keychain, signal) {
      signal.throwIfAborted();
      const key = `${image} ${credentialHash(keychain.credentialFor(parseReference(image)))}`;
      const last = known.get(key);
      if (last !== undefined && options.clock.monotonicMs() - last.readAtMs < options.refreshIntervalMs) {
        return last.value;
      }
      const flight = flights.get(key) ?? takeOff(key, image, keychain);
      return await waitFor(flight, signal, () => {
        forget(key, flight);
      });
    },
  };
}

/** Waits until the flight lands or the caller aborts. The last one to leave stops it, so that nothing runs on unwanted. */
function waitFor<T>(flight: Flight<T>, signal: AbortSignal, onAbandoned: () => void): Promise<T> {
  flight.waiterCount += 1;
  return new Promise((resolve, reject) => {
    const leave = () => {
      flight.waiterCount -= 1;
      if (flight.waiterCount === 0) {
        onAbandoned();
        flight.abort.abort(signal.reason);
      }
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', leave, { once: true });
    const land = () => {
      signal.removeEventListener('abort', leave);
    };
    flight.result.finally(land).then(resolve, reject);
  });
}
