import { timestamp } from '../conventions/text/timestamp.ts';
import { errorFacts } from './described-error.ts';
import { entry, type LogEntry } from './entry.ts';
import type { Observation } from './observation.ts';

type DatabaseObservation = Extract<
  Observation,
  {
    kind:
      | 'store-unavailable'
      | 'database-lost'
      | 'database-migrated'
      | 'database-writes'
      | 'database-locked'
      | 'clock-behind'
      | 'driver-unavailable'
      | 'schema-changed';
  }
>;

/** The log entry of an observation of the database. */
export function databaseEntry(observation: DatabaseObservation): LogEntry {
  switch (observation.kind) {
    case 'store-unavailable':
      return entry('error', 'store_unavailable', unavailableFields(observation.error));
    case 'database-lost':
      return lostEntry(observation);
    case 'database-migrated':
      return migratedEntry(observation);
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

function migratedEntry({ error }: Extract<Observation, { kind: 'database-migrated' }>): LogEntry {
  const cause = error === null ? null : errorFacts(error);
  return entry('error', 'database_migrated', {
    code: cause?.code ?? null,
    cause: cause?.message ?? null,
    message:
      'the database was migrated to another model while the server ran: nothing is read or written any more. Restart the server with the model of the database',
  });
}

function writesEntry(failure: Error | null): LogEntry {
  if (failure === null) return entry('info', 'database_writes', { failing: false });
  return entry('error', 'database_writes', { failing: true, ...unavailableFields(failure) });
}

/** The statements of a migration are logged; those of a new database say nothing that the model does not. */
function schemaEntry({ database, isNew, statements }: Extract<Observation, { kind: 'schema-changed' }>): LogEntry {
  if (isNew) return entry('info', 'database_created', { database });
  return entry('info', 'schema_changed', { statements });
}

/** The error and its cause, without the stack: it is not a bug in the code. */
function unavailableFields({ message, cause }: Error): LogEntry['fields'] {
  if (cause === undefined || cause === null) return { reason: message, code: null, cause: null };
  const facts = errorFacts(cause);
  return { reason: message, code: facts.code, cause: facts.message };
}
