import { timestamp } from '../conventions/text/timestamp.ts';
import { describeError } from './described-error.ts';
import {
  describeAccess,
  describeBehindClock,
  describeLostFile,
  describeModelChange,
  describeReplacedDriver,
  describeSharing,
  describeUndelivered,
  listMigrationCause,
  listUnavailable,
  MIGRATED,
} from './entry-messages.ts';
import type { Observation } from './observation.ts';
import { requestFields, requestLevel } from './request-fields.ts';

/**
 * The level of an entry. Entries of `debug` are for metrics and traces; the log of `restwright serve` leaves them out.
 */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/**
 * A log entry, independent of the log format.
 *
 * @example
 * ```ts
 * const { level, event, fields }: LogEntry = logEntry(observation);
 * logger[level]({ event, ...fields });
 * ```
 */
export interface LogEntry {
  readonly level: LogLevel;
  readonly event: string;
  /** Members in log order. Values must be serializable as JSON. */
  readonly fields: Readonly<Record<string, unknown>>;
}

type ObservationKind = Observation['kind'];
type ObservationByKind = { readonly [K in ObservationKind]: Extract<Observation, { kind: K }> };

/** The entry of one kind of observation: constants, or functions of the observation. */
interface EntryRule<O> {
  readonly level: LogLevel | ((observation: O) => LogLevel);
  readonly event: string | ((observation: O) => string);
  readonly fields: (observation: O) => LogEntry['fields'];
}

/** Subscriptions that an entry names at most. */
const MAX_NAMED = 10;

/**
 * The entry of each kind, by topic: requests, start and stop, access, database, model, workers and limits, measured
 * facts.
 */
const ENTRIES: { readonly [K in ObservationKind]: EntryRule<ObservationByKind[K]> } = {
  request: { level: requestLevel, event: 'request', fields: requestFields },
  error: {
    level: 'error',
    event: 'error',
    fields: ({ correlationId, error }) => ({ correlation_id: correlationId, error: describeError(error) }),
  },
  'computed-value-failed': {
    level: 'error',
    event: 'computed_value_failed',
    fields: ({ resource, id, field, reason, value }) => ({ resource, id, field, reason, value }),
  },

  listening: {
    level: 'info',
    event: 'listening',
    fields: ({ url, allowAnyHost }) => ({ url, allow_any_host: allowAnyHost }),
  },
  'metrics-listening': { level: 'info', event: 'metrics_listening', fields: ({ url }) => ({ url }) },
  'browser-not-opened': {
    level: 'warn',
    event: 'browser_not_opened',
    fields: ({ url, reason }) => ({ message: `no browser was opened (${reason}); open ${url} yourself` }),
  },
  stopping: { level: 'info', event: 'stopping', fields: ({ signal }) => ({ signal }) },
  stopped: {
    level: ({ unfinished }) => (unfinished === 0 ? 'info' : 'warn'),
    event: 'stopped',
    fields: ({ unfinished }) => ({ unfinished }),
  },
  'deliveries-pending': { level: 'warn', event: 'deliveries_pending', fields: ({ count }) => ({ count }) },
  'events-undelivered': {
    level: 'warn',
    event: 'events_undelivered',
    fields: ({ count, subscriptions }) => ({
      count,
      subscriptions: subscriptions.slice(0, MAX_NAMED),
      message: describeUndelivered(count, subscriptions.length),
    }),
  },
  'relay-failed': {
    level: 'warn',
    event: 'relay_failed',
    fields: ({ relay, problem }) => ({ relay, message: problem }),
  },
  'replica-joined': { level: 'info', event: 'replica_joined', fields: ({ replica }) => ({ replica }) },
  'replica-left': {
    level: 'warn',
    event: 'replica_left',
    fields: ({ replica, problem }) => ({ replica, message: problem }),
  },
  'relay-resumed': { level: 'info', event: 'relay_resumed', fields: ({ relay }) => ({ relay }) },

  'no-authentication': {
    level: ({ isPublic }) => (isPublic ? 'warn' : 'info'),
    event: 'no_authentication',
    fields: ({ isPublic }) => ({ message: describeAccess(isPublic) }),
  },
  'mounted-without-auth': {
    level: 'warn',
    event: 'mounted_without_auth',
    fields: ({ name, basePath }) => ({
      api: name,
      base_path: basePath,
      message: `no authentication is configured: every client that can reach this application may read and change all data below ${basePath || '/'}`,
    }),
  },
  'token-rejected': {
    level: 'warn',
    event: 'token_rejected',
    fields: ({ correlationId, reason }) => ({ correlation_id: correlationId, reason }),
  },
  'keys-unavailable': {
    level: 'warn',
    event: 'keys_unavailable',
    fields: ({ issuer, error }) => {
      const reason = error instanceof Error ? error.message : String(error);
      return { issuer, message: `the keys of the issuer ${issuer} could not be read: ${reason}` };
    },
  },

  'store-unavailable': { level: 'error', event: 'store_unavailable', fields: ({ error }) => listUnavailable(error) },
  'store-available': {
    level: 'info',
    event: 'store_available',
    fields: () => ({ message: 'The database is available again' }),
  },
  'database-lost': {
    level: 'error',
    event: 'database_lost',
    fields: ({ path, change }) => ({ file: path, change, message: describeLostFile(change) }),
  },
  'database-migrated': {
    level: 'error',
    event: 'database_migrated',
    fields: ({ error }) => ({ ...listMigrationCause(error), message: MIGRATED }),
  },
  'conversion-failed': {
    level: 'error',
    event: 'conversion_failed',
    fields: ({ table, id, message }) => ({ table, id, message }),
  },
  'rows-converted': {
    level: 'debug',
    event: 'rows_converted',
    fields: ({ table, rows, total }) => ({ table, rows, total }),
  },
  'database-writes': {
    level: ({ failure }) => (failure === null ? 'info' : 'error'),
    event: 'database_writes',
    fields: ({ failure }) => (failure === null ? { failing: false } : { failing: true, ...listUnavailable(failure) }),
  },
  'database-locked': { level: 'warn', event: 'database_locked', fields: ({ path }) => ({ database: path }) },
  'clock-behind': {
    level: 'warn',
    event: 'clock_behind',
    fields: ({ newest, behind, followed }) => ({
      newest: timestamp(newest),
      behind_ms: behind,
      message: describeBehindClock(followed),
    }),
  },
  'driver-unavailable': {
    level: 'warn',
    event: 'driver_unavailable',
    fields: ({ used, error }) => ({
      used,
      reason: error.message.split('\n')[0],
      message: describeReplacedDriver(used),
    }),
  },
  'value-misfit': { level: 'warn', event: 'value_misfit', fields: ({ table, column }) => ({ table, column }) },
  'table-truncated': { level: 'warn', event: 'table_truncated', fields: ({ table }) => ({ table }) },
  'table-unrecorded': {
    level: 'warn',
    event: 'table_unrecorded',
    fields: ({ table, cause }) => ({ table, cause }),
  },
  'temporary-secret': {
    level: 'info',
    event: 'temporary_secret',
    fields: ({ name }) => ({ name, message: 'cursors end with the process: the model has no secret' }),
  },
  // The statements of a migration are logged; those of a new database say nothing that the model does not.
  'schema-changed': {
    level: 'info',
    event: ({ isNew }) => (isNew ? 'database_created' : 'schema_changed'),
    fields: ({ isNew, database, statements }) => (isNew ? { database } : { statements }),
  },

  'model-changed': {
    level: ({ problem }) => (problem === null ? 'info' : 'warn'),
    event: ({ problem }) => (problem === null ? 'model_reloaded' : 'model_not_reloaded'),
    fields: ({ file, problem }) => ({ message: describeModelChange(file, problem) }),
  },
  unsupported: { level: 'warn', event: 'unsupported', fields: ({ declaration }) => ({ declaration }) },
  'deprecated-contract': {
    level: 'info',
    event: 'deprecated_contract',
    fields: ({ version, caller, route, correlationId }) => ({ version, caller, route, correlation_id: correlationId }),
  },

  'worker-exited': {
    level: 'error',
    event: 'worker_exited',
    fields: ({ pid, code, signal, reason, restartDelay }) => ({
      worker: pid,
      code,
      signal,
      reason,
      restart_delay_ms: restartDelay,
    }),
  },
  'worker-unresponsive': {
    level: 'error',
    event: 'worker_unresponsive',
    fields: ({ pid, duration }) => ({ worker: pid, duration_ms: duration }),
  },
  'worker-killed': { level: 'error', event: 'worker_killed', fields: ({ pid }) => ({ worker: pid }) },
  overload: {
    level: ({ overloaded }) => (overloaded ? 'warn' : 'info'),
    event: 'overload',
    fields: ({ overloaded, reason }) => ({ overloaded, reason }),
  },
  'shared-rate-limits': {
    level: ({ failure }) => (failure === null ? 'info' : 'warn'),
    event: ({ failure }) => (failure === null ? 'rate_limits_shared' : 'rate_limits_not_shared'),
    fields: (sharing) => ({ redis: sharing.address, message: describeSharing(sharing) }),
  },

  commit: {
    level: 'debug',
    event: 'commit',
    fields: ({ duration, units }) => ({ duration_ms: duration, units }),
  },
  'commit-blocked': { level: 'debug', event: 'commit_blocked', fields: ({ units }) => ({ units }) },
  'read-stopped': {
    level: 'debug',
    event: 'read_stopped',
    fields: ({ reason, correlationId }) => ({ reason, correlation_id: correlationId }),
  },
  'rate-limited': { level: 'debug', event: 'rate_limited', fields: ({ bucket }) => ({ bucket }) },
  'events-removed': { level: 'debug', event: 'events_removed', fields: ({ count }) => ({ count }) },
  delivery: {
    level: 'debug',
    event: 'delivery',
    fields: ({ result, duration, lag }) => ({ result, duration_ms: duration, lag_ms: lag }),
  },
};

/**
 * Makes the log entry of an observation (OPS-2).
 *
 * @example
 * ```ts
 * const observe: Observe = (observation) => {
 *   const { level, event, fields } = logEntry(observation);
 *   logger[level]({ event, ...fields });
 * };
 * ```
 */
export function logEntry(observation: Observation): LogEntry {
  return applyRule(observation.kind, observation);
}

function applyRule<K extends ObservationKind>(kind: K, observation: ObservationByKind[K]): LogEntry {
  const { level, event, fields }: EntryRule<ObservationByKind[K]> = ENTRIES[kind];
  return {
    level: typeof level === 'string' ? level : level(observation),
    event: typeof event === 'string' ? event : event(observation),
    fields: fields(observation),
  };
}
