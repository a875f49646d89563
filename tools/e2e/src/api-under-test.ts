/** An API server with the kpack.io kinds, embedded or real, as the suites use it. */
export interface ApiUnderTest {
  /** A kubeconfig as YAML, for the controllers. */
  readonly kubeconfig: string;
  /** Creates an object of a built-in kind, or merges it into the one that is there. */
  apply(object: ApiObject): Promise<void>;
  /** The JSON at a path of the REST API. Rejects when it is not found. */
  get(path: string): Promise<Readonly<Record<string, unknown>>>;
  /** How many status patches it has answered so far. */
  statusWrites(): number;
  /** Leaves nothing behind that a later world would see. */
  close(): Promise<void>;
}

/** An object with its place. */
export interface ApiObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly [field: string]: unknown;
}

/** The path of the collection that an object is in: `/api/v1/namespaces/default/secrets`. */
export function collectionOf({ apiVersion, kind, metadata }: ApiObject): string {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const place = metadata.namespace === undefined ? '' : `/namespaces/${metadata.namespace}`;
  return `${root}${place}/${kind.toLowerCase()}s`;
}
