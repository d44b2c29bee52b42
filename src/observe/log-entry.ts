import { databaseEntry } from './database-entry.ts';
import { describeError } from './described-error.ts';
import { entry, type LogEntry } from './entry.ts';
import { measuredEntry } from './measured-entry.ts';
import { requestFields, requestLevel } from './request-fields.ts';
import { isMeasured, type Measured, type Observation, type RequestObservation } from './observation.ts';

export type { LogEntry, LogLevel } from './entry.ts';

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
    case 'database-migrated':
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
    case 'overload':
    case 'shared-rate-limits':
      return loadEntry(observation);
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

function keysEntry({ issuer, error }: Extract<Observation, { kind: 'keys-unavailable' }>): LogEntry {
  const reason = error instanceof Error ? error.message : String(error);
  const message = `the keys of the issuer ${issuer} could not be read: ${reason}`;
  return entry('warn', 'keys_unavailable', { issuer, message });
}

function loadEntry(
  observation: Extract<Observation, { kind: `worker-${string}` | 'overload' | 'shared-rate-limits' }>,
): LogEntry {
  const isOfLimits = observation.kind === 'overload' || observation.kind === 'shared-rate-limits';
  return isOfLimits ? limitsEntry(observation) : workerEntry(observation);
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
