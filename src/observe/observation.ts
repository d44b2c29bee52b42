/**
 * The time of a stage of a request, in milliseconds since the request began. Stages are in the order of their ends, so
 * that uses of the store stand before their stage.
 */
export interface StageTime {
  /** `receive`, `route`, `authenticate`, ..., or `store`. */
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Everything that the program reports about itself. Call sites report facts; observers (log, metrics, traces) decide
 * what to do with them.
 *
 * @example
 * ```ts
 * const slow = (seen: Observation): boolean => seen.kind === 'request' && seen.duration > 1_000;
 * ```
 */
export type Observation =
  | { readonly kind: 'listening'; readonly url: string; readonly allowAnyHost: boolean }
  /** Metrics are served apart from the API. */
  | { readonly kind: 'metrics-listening'; readonly url: string }
  /**
   * A server of our own has no authentication: it serves this machine only, or, where it is public, every client
   * (AUTH-7). Reported at each start.
   */
  | { readonly kind: 'no-authentication'; readonly isPublic: boolean }
  /** The API was mounted in a host application, with no authentication of its own. Reported once. */
  | { readonly kind: 'mounted-without-auth'; readonly name: string; readonly basePath: string }
  | { readonly kind: 'stopping'; readonly signal: string }
  | { readonly kind: 'stopped'; readonly unfinished: number }
  /**
   * A request got its response. `route` is a pattern (`/products/{id}`), never data; `target` has no query. `duration`
   * is in milliseconds. `version` is that of the contract, null where none was found. Sizes are those of the bodies in
   * bytes, null if they are not known before the body was received or sent. The size of the response is also null if
   * nothing measures it. `parentId` is the span of the client, null if the trace begins here. `sampled` is true if the
   * trace is recorded (`traceparent`). `traceState` is the field `tracestate` as it was sent. `stages` is null unless
   * stages are timed.
   */
  | {
      readonly kind: 'request';
      readonly method: string;
      readonly target: string;
      readonly route: string | null;
      readonly status: number;
      readonly errorCode: string | null;
      readonly duration: number;
      readonly version: string | null;
      readonly requestSize: number | null;
      readonly responseSize: number | null;
      readonly correlationId: string;
      readonly traceId: string;
      readonly parentId: string | null;
      readonly sampled: boolean;
      readonly traceState: string | null;
      readonly scheme: 'http' | 'https';
      readonly stages: readonly StageTime[] | null;
    }
  /**
   * A request used a contract that is deprecated (VER-4). `caller` is who would have to change: issuer, subject and
   * client of its credentials as JSON, or the address without them (of IPv6 its /64). `route` is a pattern.
   */
  | {
      readonly kind: 'deprecated-contract';
      readonly version: string;
      readonly caller: string;
      readonly route: string | null;
      readonly correlationId: string;
    }
  /** An internal error, whose cause no client sees. */
  | { readonly kind: 'error'; readonly correlationId: string | null; readonly error: unknown }
  /** A bearer token was refused; the client does not learn the reason. */
  | { readonly kind: 'token-rejected'; readonly correlationId: string; readonly reason: string }
  /**
   * A function of the model did not compute a value of its schema; the row was sent with null in its place. `value` is
   * the beginning of what it returned.
   */
  | {
      readonly kind: 'computed-value-failed';
      readonly resource: string;
      readonly id: string;
      readonly field: string;
      readonly reason: string;
      readonly value: string | null;
    }
  /** The keys of an issuer of tokens could not be read. Keys that were read earlier stay in use. */
  | { readonly kind: 'keys-unavailable'; readonly issuer: string; readonly error: unknown }
  /**
   * From now on rate limits are shared through Redis; where `failure` says why they are not, each of so many instances
   * admits its share.
   */
  | {
      readonly kind: 'shared-rate-limits';
      readonly address: string;
      readonly instances: number;
      readonly failure: Error | null;
    }
  /** The database is unavailable; the client got a 503. Reported by every request, logged once a minute. */
  | { readonly kind: 'store-unavailable'; readonly error: Error }
  /** The database is available again to a loop that polls it. Reported by each such loop, logged once. */
  | { readonly kind: 'store-available' }
  /** A transaction that writes is on disk: after `duration` milliseconds, for so many units that shared it. */
  | { readonly kind: 'commit'; readonly duration: number; readonly units: number }
  /** Another process holds the database: so many units wait for it. */
  | { readonly kind: 'commit-blocked'; readonly units: number }
  /** A read exceeded the statement timeout, or the queue of slow reads was full. The client got a 503. */
  | { readonly kind: 'read-stopped'; readonly reason: 'timeout' | 'queue'; readonly correlationId: string }
  /** A request was refused, because the bucket of its caller, of its address or of failed attempts was empty. */
  | { readonly kind: 'rate-limited'; readonly bucket: 'caller' | 'address' | 'failure' }
  /**
   * An attempt to deliver an event: whether it succeeded, is repeated, or was the last one. `duration` of the attempt,
   * and `lag` since the write, in milliseconds.
   */
  | {
      readonly kind: 'delivery';
      readonly result: 'succeeded' | 'retry' | 'dead';
      readonly duration: number;
      readonly lag: number;
    }
  /** So many old events were removed from the log. */
  | { readonly kind: 'events-removed'; readonly count: number }
  /** Old events are about to be removed that these subscriptions did not get: so many deliveries are lost. */
  | { readonly kind: 'events-undelivered'; readonly count: number; readonly subscriptions: readonly string[] }
  /** A broker does not take the events of a relay, for a reason without credentials. Reported when it changes. */
  | { readonly kind: 'relay-failed'; readonly relay: string; readonly problem: string }
  /** The broker of a relay takes events again. */
  | { readonly kind: 'relay-resumed'; readonly relay: string }
  /**
   * A file of the database is not where it was when it was opened. Nothing is read or acknowledged until a restart.
   * Reported once.
   */
  | { readonly kind: 'database-lost'; readonly path: string; readonly change: 'missing' | 'replaced' }
  /**
   * The database was migrated to another model, as the error of a statement has shown; null where readiness was asked
   * first. Nothing is read or written until a restart. Reported once.
   */
  | { readonly kind: 'database-migrated'; readonly error: unknown }
  /** A row of the other of two models that are served cannot be converted. It has defaults. */
  | { readonly kind: 'conversion-failed'; readonly table: string; readonly id: string; readonly message: string }
  /** So many rows of a table, of a total, are converted for a second model, in this run of `migrate`. */
  | { readonly kind: 'rows-converted'; readonly table: string; readonly rows: number; readonly total: number }
  /** Pages are read from a replica of the database from now on. */
  | { readonly kind: 'replica-joined'; readonly replica: string }
  /** Nothing is read from a replica until it joins again. */
  | { readonly kind: 'replica-left'; readonly replica: string; readonly problem: string }
  /** Writes to the database have begun to fail for this reason; null when they succeed again. */
  | { readonly kind: 'database-writes'; readonly failure: Error | null }
  /**
   * At the start the clock was behind a stored time. `followed`: times of new rows stay at that one until the clock has
   * reached it.
   */
  | { readonly kind: 'clock-behind'; readonly newest: number; readonly behind: number; readonly followed: boolean }
  /** Another process has locked the database; the start waits for it. */
  | { readonly kind: 'database-locked'; readonly path: string }
  /** The default driver of the database cannot be loaded, for this error; `used` opened it. */
  | { readonly kind: 'driver-unavailable'; readonly used: string; readonly error: Error }
  /** A table that exists has a value that does not fit the type of its field, and is shown as null. Once a table. */
  | { readonly kind: 'value-misfit'; readonly table: string; readonly column: string }
  /** A table whose changes are recorded was truncated: its rows are gone, and there are no events of them. */
  | { readonly kind: 'table-truncated'; readonly table: string }
  /**
   * Changes of a table by other programs become no events: its triggers are missing or do not fire, or tables inherit
   * from it. Reported every minute.
   */
  | {
      readonly kind: 'table-unrecorded';
      readonly table: string;
      readonly cause: 'missing' | 'disabled' | 'inherited';
    }
  /** Cursors end with the process: the model has no secret, and nothing is stored next to tables that exist. */
  | { readonly kind: 'temporary-secret'; readonly name: string }
  /** The schema of the database was created, or migrated to the model, by these statements. */
  | {
      readonly kind: 'schema-changed';
      readonly database: string;
      readonly isNew: boolean;
      readonly statements: readonly string[];
    }
  /** `--open` could not open a browser. */
  | { readonly kind: 'browser-not-opened'; readonly url: string; readonly reason: string }
  /** The file of a served model changed: its new content is served, or `problem` says why the previous one still is. */
  | { readonly kind: 'model-changed'; readonly file: string; readonly problem: string | null }
  /** The model declares a feature that this version does not support yet. */
  | { readonly kind: 'unsupported'; readonly declaration: string }
  /**
   * A worker exited unexpectedly; another one starts after `restartDelay` milliseconds. `reason` is the error message
   * of the worker.
   */
  | {
      readonly kind: 'worker-exited';
      readonly pid: number;
      readonly code: number | null;
      readonly signal: string | null;
      readonly reason: string | null;
      readonly restartDelay: number;
    }
  /** A worker did not answer for `duration` milliseconds and was killed. */
  | { readonly kind: 'worker-unresponsive'; readonly pid: number; readonly duration: number }
  /** A worker did not stop in time and was killed. */
  | { readonly kind: 'worker-killed'; readonly pid: number }
  /** The process stopped before these deliveries to hooks were complete; they are retried. */
  | { readonly kind: 'deliveries-pending'; readonly count: number }
  | { readonly kind: 'overload'; readonly overloaded: boolean; readonly reason: string | null };

export type RequestObservation = Extract<Observation, { kind: 'request' }>;

/** The observations for metrics and traces alone: none calls for an operator. */
export type Measured = Extract<
  Observation,
  { kind: 'commit' | 'commit-blocked' | 'read-stopped' | 'rate-limited' | 'delivery' | 'events-removed' }
>;

const MEASURED: ReadonlySet<Observation['kind']> = new Set<Measured['kind']>([
  'commit',
  'commit-blocked',
  'read-stopped',
  'rate-limited',
  'delivery',
  'events-removed',
]);

/** Called for every observation, most of which are requests. */
export function isMeasured(observation: Observation): observation is Measured {
  return observation.kind !== 'request' && MEASURED.has(observation.kind);
}

/**
 * Receives what the program reports.
 *
 * @example
 * ```ts
 * const observe: Observe = (observation) => log(logEntry(observation));
 * ```
 */
export type Observe = (observation: Observation) => void;

/** Passes each observation to several observers. */
export function observeAll(first: Observe, second: Observe): Observe {
  return (observation) => {
    first(observation);
    second(observation);
  };
}
