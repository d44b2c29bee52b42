import { StoreUnavailable, type UnavailableReason } from '../../store.ts';
import { sqliteCode } from '../driver/sqlite-errors.ts';
import { lostError } from './database-files.ts';

/**
 * Codes of SQLite that concern the database and not a statement: the first whose name begins an error's code decides.
 */
const REASONS: readonly (readonly [code: string, reason: UnavailableReason, message: string])[] = [
  ['SQLITE_BUSY', 'locked', 'Another process has locked the database'],
  ['SQLITE_FULL', 'full', 'The disk of the database is full'],
  // The index of the log could not grow.
  ['SQLITE_IOERR_SHMSIZE', 'full', 'The disk of the database is full'],
  ['SQLITE_IOERR', 'io', 'The disk of the database has failed'],
  ['SQLITE_CANTOPEN', 'io', 'A file of the database cannot be opened'],
  ['SQLITE_READONLY', 'read-only', 'The database can only be read'],
  ['SQLITE_CORRUPT', 'corrupt', 'The database is corrupt'],
  ['SQLITE_NOTADB', 'corrupt', 'The database is corrupt'],
];

/** The store's error for an error of SQLite that concerns the database as a whole; null for any other. */
export function unavailable(cause: unknown): StoreUnavailable | null {
  const code = sqliteCode(cause);
  if (code === 'SQLITE_READONLY_DBMOVED') return lostError();
  const [, reason, message] = REASONS.find(([start]) => code.startsWith(start)) ?? [];
  return reason === undefined ? null : new StoreUnavailable(message ?? reason, { cause, reason });
}
