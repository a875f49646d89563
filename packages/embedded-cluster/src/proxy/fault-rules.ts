/** What the proxy does with a request that a rule matches. Every one is made on the wire. */
export type FaultAction =
  /** The connection is reset (a real RST) before anything is answered; the backend never sees the request. */
  | { readonly kind: 'reset' }
  /** The request is read and never answered; the backend never sees it. */
  | { readonly kind: 'hang' }
  /** The backend's head and the first bytes of its body pass, then the connection is reset. */
  | { readonly kind: 'cutBody'; readonly afterBytes: number }
  /** The backend's head and the first bytes of its body pass, then nothing more comes. */
  | { readonly kind: 'stallBody'; readonly afterBytes: number }
  /** The first bytes of the request's body reach the backend, then both connections are reset. */
  | { readonly kind: 'cutUpload'; readonly afterBytes: number }
  /** The backend does what it is asked; its answer is lost: the connection is reset instead. */
  | { readonly kind: 'loseAnswer' }
  /** Both bodies pass at this speed. */
  | { readonly kind: 'slow'; readonly bytesPerSecond: number }
  /** The proxy answers itself; the backend never sees the request. */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    }
  /** The backend's answer passes with these headers set, or taken away where the value is undefined. */
  | { readonly kind: 'headers'; readonly set: Readonly<Record<string, string | undefined>> }
  /** The backend's body passes with every byte changed; length and headers stay. */
  | { readonly kind: 'wrongBytes' }
  /** Answered with a redirect (307 unless given); `{url}` in the location stands for the path and query asked for. */
  | { readonly kind: 'redirect'; readonly location: string; readonly status?: number };

/** Which requests get which fault. */
export interface FaultRule {
  /** Whole method as text, in any case, or a pattern; any method when absent. */
  readonly method?: string | RegExp;
  /** Whole path as text, with or without the query, or a pattern that is tried on both; any path when absent. */
  readonly path?: string | RegExp;
  /** How many matching requests pass before the first fault; 0 when absent. */
  readonly skip?: number;
  /** How many matching requests get the fault; all that follow when absent. */
  readonly times?: number;
  readonly action: FaultAction;
}

/** A rule in force. */
export interface FaultHandle {
  /** Requests that got the fault so far. */
  readonly hits: number;
  /** Takes the rule out; requests already caught by it stay caught. */
  remove(): void;
}

/** What a rule is matched against. */
export interface RequestLine {
  readonly method: string;
  /** Path and query, as sent. */
  readonly url: string;
}

interface ActiveRule {
  readonly rule: FaultRule;
  passed: number;
  hits: number;
}

/** The rules in force. The oldest that matches and is neither skipping nor used up decides. */
export class FaultRules {
  readonly #rules = new Set<ActiveRule>();

  add(rule: FaultRule): FaultHandle {
    const active: ActiveRule = { rule, passed: 0, hits: 0 };
    this.#rules.add(active);
    return {
      get hits() {
        return active.hits;
      },
      remove: () => {
        this.#rules.delete(active);
      },
    };
  }

  clear(): void {
    this.#rules.clear();
  }

  /** The action for this request, counted as a hit; undefined lets it pass. */
  take(request: RequestLine): FaultAction | undefined {
    for (const active of this.#rules) {
      if (!matches(active.rule, request) || active.hits >= (active.rule.times ?? Infinity)) continue;
      if (active.passed < (active.rule.skip ?? 0)) {
        active.passed += 1;
        continue;
      }
      active.hits += 1;
      return active.rule.action;
    }
    return undefined;
  }
}

function matches(rule: FaultRule, { method, url }: RequestLine): boolean {
  const path = url.replace(/\?.*$/, '');
  return accepts(rule.method, [method], 'i') && accepts(rule.path, [path, url], '');
}

function accepts(wanted: string | RegExp | undefined, texts: readonly string[], flags: '' | 'i'): boolean {
  if (wanted === undefined) return true;
  if (typeof wanted !== 'string') return texts.some((text) => text.search(wanted) >= 0);
  return texts.some((text) => (flags === 'i' ? text.toUpperCase() === wanted.toUpperCase() : text === wanted));
}
