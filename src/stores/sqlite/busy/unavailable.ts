import { StoreUnavailable } from '../../store.ts';
import { isBusy, isFull } from '../connection/sqlite-connection.ts';

/** An error of SQLite that says that the database cannot be used just now, as the store tells it; null for any other. */
export function unavailable(cause: unknown): StoreUnavailable | null {
  if (isBusy(cause))
    return new StoreUnavailable('The database is held by another process', { cause, reason: 'locked' });
  if (isFull(cause)) return new StoreUnavailable('The disk of the database is full', { cause, reason: 'full' });
  return null;
}
