import { StatementTimeout, StoreUnavailable, type UnavailableReason, WriteOutcomeUnknown } from '../../store.ts';

/**
 * Classes and codes of `SQLSTATE` that concern the database as a whole. The first whose digits begin an error's code
 * decides.
 */
const REASONS: readonly (readonly [code: string, reason: UnavailableReason, message: string])[] = [
  ['55P03', 'locked', 'A lock is held for too long'],
  ['53100', 'full', 'The disk of the database is full'],
  ['25006', 'read-only', 'The database can only be read'],
  ['58', 'io', 'The database cannot read or write its files'],
  ['XX001', 'corrupt', 'The database is corrupt'],
  ['XX002', 'corrupt', 'The database is corrupt'],
  ['08', 'away', 'The connection to the database is broken'],
  ['53', 'away', 'The database has no room for another session: raise its max_connections, or run fewer instances'],
  ['57P', 'away', 'The database is shutting down or starting'],
];

/** Unlike `EPIPE`, a code of the system. */
const SQL_STATE = /^(?:[0-9][0-9A-Z]|F0|HV|P0|XX)[0-9A-Z]{3}$/;

/** The package that connects to PostgreSQL is not installed. */
export class PostgresDriverMissing extends Error {
  override readonly name = 'PostgresDriverMissing';

  constructor(cause: unknown) {
    super('PostgreSQL needs the package pg: run `npm install pg`.', { cause });
  }
}

/**
 * The connection failed: it could not be made, or was lost. Whether the database has done what was sent is not known.
 */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

/** The error to throw for one of the driver. Those that the database did not report are of the connection. */
export function driverError(error: unknown): unknown {
  return sqlState(error) === '' ? new ConnectionLost('The connection to the database failed', { cause: error }) : error;
}

/** The `SQLSTATE` of an error; empty for one that the database did not report. */
export function sqlState(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return typeof code === 'string' && SQL_STATE.test(code) ? code : '';
}

/** The function of the server that reported an error; empty for one that the database did not report. */
export function failedIn(error: unknown): string {
  const routine = error instanceof Error && 'routine' in error ? error.routine : null;
  return typeof routine === 'string' ? routine : '';
}

/** Checks if a statement violated a constraint. */
export function isConstraintFailure(error: unknown): boolean {
  return sqlState(error).startsWith('23');
}

/** Checks if a value is too long for an index. */
export function isOverIndexLimit(error: unknown): boolean {
  return sqlState(error) === '54000';
}

/** Checks if the database ended a transaction in favour of another one. A retry may succeed. */
export function isTransient(error: unknown): boolean {
  return ['40P01', '40001'].includes(sqlState(error));
}

/**
 * The store's error for one that a statement ended with.
 *
 * @returns the error itself for one that does not concern the database as a whole
 */
export function storeError(error: unknown): unknown {
  if (error instanceof ConnectionLost)
    return new StoreUnavailable('The database cannot be reached', { cause: error.cause, reason: 'away' });
  const code = sqlState(error);
  if (code === '57014') return new StatementTimeout('The database stopped the statement', { cause: error });
  const found = REASONS.find(([start]) => code.startsWith(start));
  return found === undefined ? error : new StoreUnavailable(found[2], { cause: error, reason: found[1] });
}

/**
 * The error for one that a commit ended with. Where the connection was lost, or the session was ended while it waited
 * for a replica, the database may have committed.
 */
export function commitError(error: unknown): unknown {
  const isUnknown = error instanceof ConnectionLost || sqlState(error).startsWith('57P');
  return isUnknown ? new WriteOutcomeUnknown('The database did not answer a commit', { cause: error }) : error;
}

/** Checks if an error is of one statement, and says nothing about the transaction or the database. */
export function isOfStatement(error: unknown): boolean {
  return sqlState(error) !== '' && !isTransient(error) && storeError(error) === error;
}
