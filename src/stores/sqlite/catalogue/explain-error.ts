import { UnusableDatabase } from '../../sql/schema/schema-errors.ts';
import { isBusy, sqliteCode } from '../driver/sqlite-errors.ts';

/**
 * Reads a file that another program made. An error of SQLite becomes one with the cause and the fix.
 *
 * @throws {UnusableDatabase} for a file that is locked, damaged, encrypted or not a database
 */
export function explainError<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const code = sqliteCode(error);
    if (code === '' || !(error instanceof Error)) throw error;
    throw new UnusableDatabase(`${file} ${describeCause(code, error)}`, { cause: error });
  }
}

function describeCause(code: string, error: Error): string {
  if (code === 'SQLITE_NOTADB') {
    return 'is not a SQLite database, or it is encrypted. Name another file, or a decrypted copy.';
  }
  if (code.startsWith('SQLITE_CORRUPT')) {
    return `is damaged: ${error.message}. Restore a backup, or recover it with sqlite3 and .recover.`;
  }
  if (isBusy(error)) return 'is locked by another process. Wait for that process or end it, then try again.';
  if (code.startsWith('SQLITE_CANTOPEN')) {
    return 'cannot be opened. Check the permissions of the file and, for its write-ahead log, of its folder.';
  }
  return `cannot be read: ${error.message}.`;
}
