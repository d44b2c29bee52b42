import { StatementTimeout, StoreOverloaded, StoreUnavailable } from '../../stores/store.ts';
import { commandFailed } from '../command-error.ts';

/**
 * Runs an import. The chunks committed before an error of the database are stored together with their checkpoint.
 *
 * @throws {CommandError} exit 1 for an error of the database
 */
export async function describingStoreErrors<T>(file: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    const isOfStore =
      error instanceof StoreUnavailable || error instanceof StatementTimeout || error instanceof StoreOverloaded;
    if (isOfStore) throw commandFailed(`${error.message}. Run the same command again to resume.`);
    if (!isRefusal(error)) throw error;
    throw commandFailed(
      `${file}: the database refused a row after those that are imported: ${error.message}. Correct it, and run the same command again to resume.`,
    );
  }
}

/** True for an error that a database or its driver reports about a statement. */
function isRefusal(error: unknown): error is Error {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return false;
  return /^(?:[0-9A-Z]{5}|SQLITE_\w+|ERR_SQLITE_ERROR)$/.test(error.code);
}
