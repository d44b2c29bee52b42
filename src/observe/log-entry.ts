import { timestamp } from '../conventions/timestamp.ts';
import { describeError, errorFacts } from './described-error.ts';
import { measuredEntry } from './measured-entry.ts';
import { requestFields, requestLevel } from './request-fields.ts';
import { isMeasured, type Measured, type Observation, type RequestObservation } from './observation.ts';

/** What is `debug` is for metrics and traces; the log of `restwright serve` leaves it out. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** A log entry, independent of the log format. */
export interface LogEntry {
  readonly level: LogLevel;
  readonly event: string;
  /** Members in log order. Values must be serializable as JSON. */
  readonly fields: Readonly<Record<string, unknown>>;
}

function entry(level: LogLevel, event: string, fields: LogEntry['fields']): LogEntry {
  return { level, event, fields };
}

/** The log entry of an observation (OPS-2). */
export function logEntry(observation: Observation): LogEntry {
  if (observation.kind === 'request') return entry(requestLevel(observation), 'request', requestFields(observation));
  return isMeasured(observation) ? measuredEntry(observation) : reportedEntry(observation);
}

function reportedEntry(observation: Exclude<Observation, Measured | RequestObservation>): LogEntry {
  switch (observation.kind) {
    case 'error':
    case 'computed-value-failed':
      return failureEntry(observation);
    case 'listening':
    case 'metrics-listening':
    case 'browser-not-opened':
      return startEntry(observation);
    case 'no-authentication':
    case 'mounted-without-auth':
    case 'token-rejected':
    case 'keys-unavailable':
      return authEntry(observation);
    case 'stopping':
    case 'stopped':
    case 'deliveries-pending':
    case 'events-undelivered':
      return stopEntry(observation);
    case 'store-unavailable':
    case 'database-lost':
    case 'database-writes':
    case 'database-locked':
    case 'clock-behind':
    case 'driver-unavailable':
    case 'schema-changed':
      return databaseEntry(observation);
    case 'model-changed':
    case 'unsupported':
    case 'deprecated-contract':
      return modelEntry(observation);
    case 'worker-exited':
    case 'worker-unresponsive':
    case 'worker-killed':
      return workerEntry(observation);
    case 'overload':
    case 'shared-rate-limits':
      return limitsEntry(observation);
  }
}

function rejectionEntry({ correlationId, reason }: Extract<Observation, { kind: 'token-rejected' }>): LogEntry {
  return entry('warn', 'token_rejected', { correlation_id: correlationId, reason });
}

type AuthObservation = Extract<
  Observation,
  { kind: 'no-authentication' | 'mounted-without-auth' | 'token-rejected' | 'keys-unavailable' }
>;

function authEntry(observation: AuthObservation): LogEntry {
  switch (observation.kind) {
    case 'no-authentication':
      return accessEntry(observation);
    case 'mounted-without-auth':
      return mountedEntry(observation);
    case 'token-rejected':
      return rejectionEntry(observation);
    case 'keys-unavailable':
      return keysEntry(observation);
  }
}

function deprecationEntry(observation: Extract<Observation, { kind: 'deprecated-contract' }>): LogEntry {
  const { version, caller, route, correlationId } = observation;
  return entry('info', 'deprecated_contract', { version, caller, route, correlation_id: correlationId });
}

/** The statements of a migration are logged; those of a new database say nothing that the model does not. */
function schemaEntry({ database, isNew, statements }: Extract<Observation, { kind: 'schema-changed' }>): LogEntry {
  if (isNew) return entry('info', 'database_created', { database });
  return entry('info', 'schema_changed', { statements });
}

function keysEntry({ issuer, error }: Extract<Observation, { kind: 'keys-unavailable' }>): LogEntry {
  const reason = error instanceof Error ? error.message : String(error);
  const message = `the keys of the issuer ${issuer} could not be read: ${reason}`;
  return entry('warn', 'keys_unavailable', { issuer, message });
}

function limitsEntry(observation: Extract<Observation, { kind: 'overload' | 'shared-rate-limits' }>): LogEntry {
  return observation.kind === 'overload' ? overloadEntry(observation) : sharedRatesEntry(observation);
}

function overloadEntry({ overloaded, reason }: Extract<Observation, { kind: 'overload' }>): LogEntry {
  return entry(overloaded ? 'warn' : 'info', 'overload', { overloaded, reason });
}

function sharedRatesEntry(observation: Extract<Observation, { kind: 'shared-rate-limits' }>): LogEntry {
  const { address, instances, failure } = observation;
  if (failure === null)
    return entry('info', 'rate_limits_shared', {
      redis: address,
      message: `rate limits are shared through Redis at ${address}`,
    });
  const share =
    instances === 1 ? 'a whole quota; set limits.rate.instances to their number' : `1/${instances} of each quota`;
  const message = `Redis at ${address} is away (${failure.message}): each instance admits ${share}`;
  return entry('warn', 'rate_limits_not_shared', { redis: address, message });
}

function startEntry(
  observation: Extract<Observation, { kind: 'listening' | 'metrics-listening' | 'browser-not-opened' }>,
): LogEntry {
  const { url } = observation;
  if (observation.kind === 'metrics-listening') return entry('info', 'metrics_listening', { url });
  if (observation.kind === 'listening')
    return entry('info', 'listening', { url, allow_any_host: observation.allowAnyHost });
  const { reason } = observation;
  return entry('warn', 'browser_not_opened', { message: `no browser was opened (${reason}); open ${url} yourself` });
}

function modelEntry(
  observation: Extract<Observation, { kind: 'model-changed' | 'unsupported' | 'deprecated-contract' }>,
): LogEntry {
  if (observation.kind === 'deprecated-contract') return deprecationEntry(observation);
  if (observation.kind === 'unsupported') return entry('warn', 'unsupported', { declaration: observation.declaration });
  const { file, problem } = observation;
  if (problem === null) return entry('info', 'model_reloaded', { message: `reloaded ${file}` });
  const message = `${file} was not reloaded, the previous model is still served:\n${problem}`;
  return entry('warn', 'model_not_reloaded', { message });
}

/** States at every start which clients have access while no authentication is configured (AUTH-7). */
function accessEntry({ isPublic }: Extract<Observation, { kind: 'no-authentication' }>): LogEntry {
  const message = isPublic
    ? 'no authentication is configured, and --insecure-public is set: every client that can reach this server may read and change all data'
    : 'no authentication is configured: only clients on this machine are served, under loopback host names';
  return entry(isPublic ? 'warn' : 'info', 'no_authentication', { message });
}

function mountedEntry({ name, basePath }: Extract<Observation, { kind: 'mounted-without-auth' }>): LogEntry {
  return entry('warn', 'mounted_without_auth', {
    api: name,
    base_path: basePath,
    message: `no authentication is configured: every client that can reach this application may read and change all data below ${basePath || '/'}`,
  });
}

type StopObservation = Extract<
  Observation,
  { kind: 'stopping' | 'stopped' | 'deliveries-pending' | 'events-undelivered' }
>;

/** A stop, and what is not delivered. */
function stopEntry(observation: StopObservation): LogEntry {
  if (observation.kind === 'deliveries-pending' || observation.kind === 'events-undelivered')
    return deliveryEntry(observation);
  if (observation.kind === 'stopping') return entry('info', 'stopping', { signal: observation.signal });
  const { unfinished } = observation;
  return entry(unfinished === 0 ? 'info' : 'warn', 'stopped', { unfinished });
}

/** Subscriptions that an entry names at most. */
const MAX_NAMED = 10;

function deliveryEntry(
  observation: Extract<Observation, { kind: 'deliveries-pending' | 'events-undelivered' }>,
): LogEntry {
  const { count } = observation;
  if (observation.kind === 'deliveries-pending') return entry('warn', 'deliveries_pending', { count });
  const { subscriptions } = observation;
  return entry('warn', 'events_undelivered', {
    count,
    subscriptions: subscriptions.slice(0, MAX_NAMED),
    message: `${count} deliveries to ${subscriptions.length} subscriptions are lost: their events are removed, because they are older or more than events.retention and events.max_rows allow`,
  });
}

type DatabaseObservation = Extract<
  Observation,
  {
    kind:
      | 'store-unavailable'
      | 'database-lost'
      | 'database-writes'
      | 'database-locked'
      | 'clock-behind'
      | 'driver-unavailable'
      | 'schema-changed';
  }
>;

function databaseEntry(observation: DatabaseObservation): LogEntry {
  switch (observation.kind) {
    case 'store-unavailable':
      return entry('error', 'store_unavailable', unavailableFields(observation.error));
    case 'database-lost':
      return lostEntry(observation);
    case 'database-writes':
      return writesEntry(observation.failure);
    case 'database-locked':
      return entry('warn', 'database_locked', { database: observation.path });
    case 'clock-behind':
      return clockEntry(observation);
    case 'driver-unavailable':
      return driverEntry(observation);
    case 'schema-changed':
      return schemaEntry(observation);
  }
}

function driverEntry({ used, error }: Extract<Observation, { kind: 'driver-unavailable' }>): LogEntry {
  return entry('warn', 'driver_unavailable', {
    used,
    reason: error.message.split('\n')[0],
    message: `better-sqlite3 cannot be loaded: ${used === 'node' ? 'node:sqlite, which is slower, opens the database' : `${used} opens the database`}. --driver ${used} chooses it without this line`,
  });
}

function clockEntry({ newest, behind, followed }: Extract<Observation, { kind: 'clock-behind' }>): LogEntry {
  const effect = followed
    ? 'created_at and updated_at of new writes stay at that time until the clock has reached it'
    : 'that is more than a day, so that new writes have the time of the clock and come before that row';
  return entry('warn', 'clock_behind', {
    newest: timestamp(newest),
    behind_ms: behind,
    message: `the clock is behind the newest time in the database: ${effect}. Check the clock of this machine`,
  });
}

function lostEntry({ path, change }: Extract<Observation, { kind: 'database-lost' }>): LogEntry {
  const what = change === 'missing' ? 'was moved or deleted' : 'was replaced by another file';
  return entry('error', 'database_lost', {
    file: path,
    change,
    message: `the file ${what} while the server ran: nothing is read or acknowledged any more. Put the right file in its place, then restart the server`,
  });
}

function writesEntry(failure: Error | null): LogEntry {
  if (failure === null) return entry('info', 'database_writes', { failing: false });
  return entry('error', 'database_writes', { failing: true, ...unavailableFields(failure) });
}

function failureEntry(observation: Extract<Observation, { kind: 'error' | 'computed-value-failed' }>): LogEntry {
  return observation.kind === 'error' ? errorEntry(observation) : computedEntry(observation);
}

function errorEntry({ correlationId, error }: Extract<Observation, { kind: 'error' }>): LogEntry {
  return entry('error', 'error', { correlation_id: correlationId, error: describeError(error) });
}

function computedEntry(failure: Extract<Observation, { kind: 'computed-value-failed' }>): LogEntry {
  const { resource, id, field, reason, value } = failure;
  return entry('error', 'computed_value_failed', { resource, id, field, reason, value });
}

function workerEntry(observation: Extract<Observation, { kind: `worker-${string}` }>): LogEntry {
  const { pid: worker } = observation;
  switch (observation.kind) {
    case 'worker-exited': {
      const { code, signal, reason, restartDelay } = observation;
      return entry('error', 'worker_exited', { worker, code, signal, reason, restart_delay_ms: restartDelay });
    }
    case 'worker-unresponsive':
      return entry('error', 'worker_unresponsive', { worker, duration_ms: observation.duration });
    case 'worker-killed':
      return entry('error', 'worker_killed', { worker });
  }
}

/** The error and its cause, without the stack: it is not a bug in the code. */
function unavailableFields({ message, cause }: Error): LogEntry['fields'] {
  if (cause === undefined || cause === null) return { reason: message, code: null, cause: null };
  const facts = errorFacts(cause);
  return { reason: message, code: facts.code, cause: facts.message };
}
