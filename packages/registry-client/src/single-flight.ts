interface Flight<T> {
  readonly result: Promise<T>;
  readonly stop: AbortController;
  waiters: number;
}

/** Lets callers that want the same thing at the same time share one way of getting it. */
export class SingleFlight<T> {
  readonly #flights = new Map<string, Flight<T>>();

  /**
   * The result of the flight that is under way for `key`, or of a new one. A caller whose signal aborts leaves with
   * its signal's reason; the flight itself is aborted only when nobody waits for it any more.
   */
  async run(key: string, signal: AbortSignal, start: (signal: AbortSignal) => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const flight = this.#flights.get(key) ?? this.#launch(key, start);
    flight.waiters += 1;
    try {
      return await untilAborted(flight.result, signal);
    } finally {
      flight.waiters -= 1;
      if (flight.waiters === 0) {
        this.#forget(key, flight);
        flight.stop.abort();
      }
    }
  }

  #launch(key: string, start: (signal: AbortSignal) => Promise<T>): Flight<T> {
    const stop = new AbortController();
    const flight: Flight<T> = { result: start(stop.signal), stop, waiters: 0 };
    this.#flights.set(key, flight);
    const forget = () => {
      this.#forget(key, flight);
    };
    flight.result.then(forget, forget);
    return flight;
  }

  #forget(key: string, flight: Flight<T>): void {
    if (this.#flights.get(key) === flight) this.#flights.delete(key);
  }
}

function untilAborted<T>(result: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    result.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', onAbort);
    });
  });
}
