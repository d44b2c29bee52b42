import { StoreUnavailable } from '../../store.ts';
import { sqlState } from '../driver/postgres-errors.ts';
import type { ReadGuard } from '../read/read-guard.ts';

/** The codes of statements that a table, a column, its type or a right is missing for. */
const CHANGED: ReadonlySet<string> = new Set([
  '0A000',
  '3F000',
  '42501',
  '42703',
  '42704',
  '42804',
  '42846',
  '42883',
  '42P01',
]);

/** Explains statements that failed because the tables of another program have changed. They may change back. */
export const changedTablesGuard: ReadGuard = {
  requireMatch: () => undefined,
  explain: (error) => {
    if (!(error instanceof Error && CHANGED.has(sqlState(error)))) return error;
    const message = `The tables of the database no longer match the model: ${error.message}`;
    return new StoreUnavailable(message, { cause: error, reason: 'migrated' });
  },
};
