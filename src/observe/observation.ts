/** Everything that the program tells about itself. Call sites announce facts; sinks (log, metrics, traces) decide. */
export type Observation =
  | { readonly kind: 'listening'; readonly url: string; readonly allowAnyHost: boolean }
  | { readonly kind: 'stopping'; readonly signal: string }
  | { readonly kind: 'stopped'; readonly unfinished: number }
  /** One request was answered. `route` is a pattern (`/products/{id}`), never the data; `target` has no query. Times in milliseconds. */
  | {
      readonly kind: 'request';
      readonly method: string;
      readonly target: string;
      readonly route: string | null;
      readonly status: number;
      readonly errorCode: string | null;
      readonly duration: number;
      readonly correlationId: string;
      readonly traceId: string;
    }
  /** Something failed that the caller is told nothing of. */
  | { readonly kind: 'error'; readonly correlationId: string | null; readonly error: unknown }
  /** The database could not be used, which the caller was told by 503. It may come with every request, and is logged once a minute. */
  | { readonly kind: 'store-unavailable'; readonly error: Error }
  /** Another process holds the database, and it is waited for. */
  | { readonly kind: 'database-locked'; readonly path: string }
  /** Statements that brought the database to the model. */
  | { readonly kind: 'schema-changed'; readonly statements: readonly string[] }
  /** The model declares what this version does not serve yet. */
  | { readonly kind: 'unsupported'; readonly declaration: string }
  /** One of several processes ended that should serve; another is started after `again` milliseconds. `reason` is its own words. */
  | {
      readonly kind: 'worker-exited';
      readonly pid: number;
      readonly code: number | null;
      readonly signal: string | null;
      readonly reason: string | null;
      readonly restartDelay: number;
    }
  /** A process that was to stop did not end in its time, and was ended. */
  | { readonly kind: 'worker-killed'; readonly pid: number }
  /** Deliveries to hooks were not done when the process had to stop; they are made again. */
  | { readonly kind: 'deliveries-pending'; readonly count: number }
  | { readonly kind: 'overload'; readonly overloaded: boolean; readonly reason: string | null };

export type Observe = (observation: Observation) => void;
