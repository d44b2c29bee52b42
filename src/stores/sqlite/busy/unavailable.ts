import { StoreUnavailable } from '../../store.ts';
import { isBusy, isFull } from '../connection/sqlite-connection.ts';

/** The store's error for an error of SQLite that makes the database temporarily unavailable; null for any other. */
export function unavailable(cause: unknown): StoreUnavailable | null {
  if (isBusy(cause)) {
    return new StoreUnavailable('Another process has locked the database', { cause, reason: 'locked' });
  }
  if (isFull(cause)) return new StoreUnavailable('The disk of the database is full', { cause, reason: 'full' });
  return null;
}
