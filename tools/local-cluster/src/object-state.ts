/** A condition as the API server stores it. */
interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

/** The part of a kpack.io object that the table and the story look at. */
export interface WatchedObject {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly status?: {
    readonly conditions?: readonly Condition[];
    readonly latestImage?: string;
    readonly retry?: { readonly attempts?: number; readonly nextAttemptTime?: string; readonly host?: string };
  };
}

/** One row: what an object says of itself now. Absent values are empty strings. */
export interface ObjectState {
  readonly title: string;
  readonly kind: string;
  readonly name: string;
  readonly ready: string;
  readonly readyReason: string;
  readonly upToDate: string;
  readonly reason: string;
  readonly message: string;
  readonly attempts: number;
  readonly nextAttemptTime: string;
  readonly host: string;
  readonly latestImage: string;
}

/** Flattens an object into the row that is shown of it. */
export function stateOf(object: WatchedObject): ObjectState {
  const ready = conditionOf(object, 'Ready');
  const upToDate = conditionOf(object, 'UpToDate');
  const retry = object.status?.retry;
  return {
    title: `${object.kind}/${object.metadata.name}`,
    kind: object.kind,
    name: object.metadata.name,
    ready: ready?.status ?? '',
    readyReason: ready?.reason ?? '',
    upToDate: upToDate?.status ?? '',
    reason: upToDate?.reason ?? '',
    message: upToDate?.message ?? '',
    attempts: retry?.attempts ?? 0,
    nextAttemptTime: retry?.nextAttemptTime ?? '',
    host: retry?.host ?? '',
    latestImage: object.status?.latestImage ?? '',
  };
}

/** Whether an object is usable and fresh. */
export function isSettled(state: ObjectState): boolean {
  return state.ready === 'True' && state.upToDate === 'True';
}

function conditionOf(object: WatchedObject, type: string): Condition | undefined {
  return object.status?.conditions?.find((condition) => condition.type === type);
}
