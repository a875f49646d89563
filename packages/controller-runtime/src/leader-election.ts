import { microTime, type Lease, type LeaseClient, type LeaseSpec } from '@buildkeeper/kube-client';
import type { LeaderObserver } from '@buildkeeper/metrics';
import { failureOf, type Clock, type Random } from '@buildkeeper/retry-policy';
import { attempt } from './attempt.ts';
import type { Logger } from './log.ts';

/** The right to act, for one term. */
export interface Leadership {
  /** Aborts when the term is over. */
  readonly signal: AbortSignal;
  /** How long the term lasts if it is not renewed; 0 or less when it is over. */
  remainingMs(): number;
}

/** Times of an election, in milliseconds. */
export interface ElectionTimes {
  /** Others may take the Lease this long after they saw it renewed. */
  readonly leaseMs: number;
  /** The holder gives up this long after it last renewed; the rest of the Lease is for what is on the wire. */
  readonly renewMs: number;
  /** Between two attempts. */
  readonly retryMs: number;
}

/** 15 s, 10 s, 2 s, as the Go controllers have them. */
export const defaultElectionTimes: ElectionTimes = { leaseMs: 15_000, renewMs: 10_000, retryMs: 2000 };

/** A candidate waits this many times `retryMs` more at most, so that candidates spread. */
const retryJitter = 1.2;

/** What a candidate is made of. */
export interface ElectionOptions {
  readonly lease: LeaseClient;
  /** Unique among all candidates, also over restarts. */
  readonly identity: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly observer: LeaderObserver;
  readonly log: Logger;
  readonly times?: ElectionTimes;
}

/** The leadership of a process that asks nobody. */
export function undisputedLeadership(signal: AbortSignal): Leadership {
  return { signal, remainingMs: () => (signal.aborted ? 0 : Infinity) };
}

/**
 * Stands for election until `stop` aborts, and runs `lead` for each term that is won. A term that is lost ends by the
 * signal of its leadership, and the candidate stands again once `lead` has returned. After a stop the Lease is still
 * renewed until `lead` returns, then given back, so that the next leader need not wait for it to run out.
 */
export async function standForElection(
  options: ElectionOptions,
  lead: (leadership: Leadership) => Promise<void>,
  stop: AbortSignal,
): Promise<void> {
  options.observer.changed(false);
  const candidate = new Candidate(options);
  while (await candidate.acquire(stop)) await candidate.serve(lead);
}

/** The Lease as it was last seen to change. */
interface Seen {
  readonly lease: Lease;
  /** Local monotonic time: the clock of another machine is never compared with ours. */
  readonly atMs: number;
}

class Candidate {
  readonly #options: ElectionOptions;
  readonly #times: ElectionTimes;
  #seen: Seen | undefined;
  /** When the last successful renewal was sent; undefined when the Lease is not ours. */
  #renewedMs: number | undefined;

  constructor(options: ElectionOptions) {
    this.#options = options;
    this.#times = options.times ?? defaultElectionTimes;
  }

  /** Waits for the Lease. Answers false when `stop` aborted first. */
  async acquire(stop: AbortSignal): Promise<boolean> {
    const { clock, random } = this.#options;
    while (!stop.aborted) {
      if (await this.#tryOnce(stop, this.#times.renewMs)) return true;
      const pauseMs = this.#times.retryMs * (1 + retryJitter * random());
      await clock.sleep(pauseMs, stop).catch(() => undefined);
    }
    return false;
  }

  /** Serves one term, renewing it; gives the Lease back when the term ended of its own. */
  async serve(lead: (leadership: Leadership) => Promise<void>): Promise<void> {
    const { observer, log, identity } = this.#options;
    const lost = new AbortController();
    const ended = new AbortController();
    observer.changed(true);
    log.info({ identity }, 'leading');
    const leading = lead({ signal: lost.signal, remainingMs: () => this.#remainingMs() }).finally(() => {
      ended.abort();
    });
    await this.#renewUntil(ended.signal);
    const isLost = !ended.signal.aborted;
    if (isLost) {
      this.#renewedMs = undefined;
      lost.abort(new Error('The leadership is lost'));
      log.warn({ identity }, 'The leadership is lost');
    }
    await leading.finally(() => {
      observer.changed(false);
    });
    if (!isLost) await this.#release();
  }

  #remainingMs(): number {
    if (this.#renewedMs === undefined) return 0;
    return this.#renewedMs + this.#times.renewMs - this.#options.clock.monotonicMs();
  }

  /** Returns when the signal aborts, or when the term can't be renewed in time. */
  async #renewUntil(ended: AbortSignal): Promise<void> {
    while (this.#remainingMs() > 0 && (await this.#pause(ended))) {
      const remainingMs = this.#remainingMs();
      if (remainingMs > 0) await this.#tryOnce(ended, remainingMs);
    }
  }

  /** Waits until the next renewal, or the end of the term if that is sooner. Answers false when the signal aborts. */
  #pause(ended: AbortSignal): Promise<boolean> {
    // A whole millisecond at least, so that a rest of a fraction of one is waited out.
    const pauseMs = Math.max(1, Math.min(this.#times.retryMs, this.#remainingMs()));
    return this.#options.clock.sleep(pauseMs, ended).then(
      () => true,
      () => false,
    );
  }

  /** One attempt to get or keep the Lease; answers whether it is ours now. A failure is logged and proves nothing. */
  async #tryOnce(stop: AbortSignal, timeoutMs: number): Promise<boolean> {
    const { clock, log } = this.#options;
    const ended = await attempt((signal) => this.#claim(signal), { timeoutMs, signal: stop, clock });
    if (ended.kind === 'done') return ended.value;
    if (ended.kind === 'threw' && failureOf(ended.error)?.class !== 'conflict') {
      log.warn({ err: ended.error }, 'The Lease cannot be renewed or acquired');
    }
    return false;
  }

  async #claim(signal: AbortSignal): Promise<boolean> {
    const { lease: client, clock, observer } = this.#options;
    if (this.#renewedMs !== undefined && this.#seen !== undefined) {
      const sentMs = clock.monotonicMs();
      const renewed = await client
        .replace(this.#seen.lease, this.#spec(this.#seen.lease), signal)
        .catch(() => undefined);
      if (renewed !== undefined) return this.#hold(renewed, sentMs);
      observer.slowPath();
    }
    const found = await client.get(signal);
    const sentMs = clock.monotonicMs();
    if (found === undefined) return this.#hold(await client.create(this.#spec(undefined), signal), sentMs);
    this.#see(found);
    if (this.#isHeldByAnother(found)) {
      this.#renewedMs = undefined;
      return false;
    }
    return this.#hold(await client.replace(found, this.#spec(found), signal), sentMs);
  }

  #hold(lease: Lease, sentMs: number): true {
    this.#seen = { lease, atMs: sentMs };
    this.#renewedMs = sentMs;
    return true;
  }

  #see(lease: Lease): void {
    if (this.#seen?.lease.metadata.resourceVersion === lease.metadata.resourceVersion) return;
    this.#seen = { lease, atMs: this.#options.clock.monotonicMs() };
  }

  #isHeldByAnother({ spec }: Lease): boolean {
    const { identity, clock } = this.#options;
    const holder = spec?.holderIdentity ?? '';
    if (holder === '' || holder === identity) return false;
    const leaseMs = (spec?.leaseDurationSeconds ?? this.#times.leaseMs / 1000) * 1000;
    return clock.monotonicMs() < (this.#seen?.atMs ?? 0) + leaseMs;
  }

  #spec(found: Lease | undefined): LeaseSpec {
    const { identity, clock } = this.#options;
    const now = microTime(clock.nowMs());
    const before = found?.spec ?? {};
    const isOurs = before.holderIdentity === identity;
    const transitions = before.leaseTransitions ?? 0;
    return {
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(this.#times.leaseMs / 1000),
      acquireTime: isOurs ? (before.acquireTime ?? now) : now,
      renewTime: now,
      leaseTransitions: isOurs || found === undefined ? transitions : transitions + 1,
    };
  }

  async #release(): Promise<void> {
    const { lease: client, clock, log } = this.#options;
    const seen = this.#seen?.lease;
    const timeoutMs = Math.min(this.#times.retryMs, this.#remainingMs());
    this.#renewedMs = undefined;
    if (seen === undefined || timeoutMs <= 0) return;
    const now = microTime(clock.nowMs());
    const spec = { ...seen.spec, holderIdentity: '', leaseDurationSeconds: 1, renewTime: now, acquireTime: now };
    const never = new AbortController().signal;
    const ended = await attempt((signal) => client.replace(seen, spec, signal), { timeoutMs, signal: never, clock });
    if (ended.kind !== 'done') log.warn({}, 'The Lease could not be given back; it runs out by itself');
  }
}
