import { type ApiObject, isRecord } from './json-value.ts';
import { badRequest, expired } from './statuses.ts';

/** A list that is handed out in pages, as it was when its first page was asked for. */
export interface ListSnapshot {
  readonly objects: readonly ApiObject[];
  readonly resourceVersion: number;
}

/** One page, and what to ask with for the next. */
export interface ListPage extends ListSnapshot {
  readonly continueToken?: string;
  readonly remainingCount?: number;
}

const rememberedSnapshots = 100;

/** Keeps the lists that clients have begun to page through; the oldest are forgotten first. */
export class ListPages {
  readonly #snapshots = new Map<string, ListSnapshot>();
  #lastId = 0;

  /** The first page of the snapshot. A limit of 0 is none. */
  first(snapshot: ListSnapshot, limit: number): ListPage {
    if (limit === 0 || snapshot.objects.length <= limit) return snapshot;
    this.#lastId += 1;
    const id = String(this.#lastId);
    this.#snapshots.set(id, snapshot);
    const [oldest] = this.#snapshots.keys();
    if (this.#snapshots.size > rememberedSnapshots && oldest !== undefined) this.#snapshots.delete(oldest);
    return pageOf(snapshot, { id, offset: 0 }, limit);
  }

  /** The page that a continue token stands for. Throws 400 for no token of ours, 410 for a forgotten list. */
  next(continueToken: string, limit: number): ListPage {
    const position = positionFrom(continueToken);
    const snapshot = this.#snapshots.get(position.id);
    if (!snapshot) {
      throw expired(
        'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter.',
      );
    }
    return pageOf(snapshot, position, limit || snapshot.objects.length);
  }

  /** Forgets every list. */
  clear(): void {
    this.#snapshots.clear();
  }
}

interface Position {
  readonly id: string;
  readonly offset: number;
}

function pageOf(snapshot: ListSnapshot, { id, offset }: Position, limit: number): ListPage {
  const end = offset + limit;
  const page = { objects: snapshot.objects.slice(offset, end), resourceVersion: snapshot.resourceVersion };
  const remainingCount = snapshot.objects.length - end;
  if (remainingCount <= 0) return page;
  const continueToken = Buffer.from(JSON.stringify({ id, offset: end })).toString('base64url');
  return { ...page, continueToken, remainingCount };
}

function positionFrom(token: string): Position {
  try {
    const position: unknown = JSON.parse(Buffer.from(token, 'base64url').toString());
    if (isRecord(position) && typeof position['id'] === 'string' && typeof position['offset'] === 'number') {
      return { id: position['id'], offset: position['offset'] };
    }
  } catch {
    // Text that is no token is answered the same way as a token of another shape.
  }
  throw badRequest('continue key is not valid');
}
