import { decimalKey } from '../../sql/decimal.ts';
import { DECIMAL_KEY_FUNCTION } from '../dialect.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import { joinedWords, WORDS_FUNCTION } from '../schema/search-schema.ts';

/** Defines the SQL functions that statements call. Every connection needs them, on each thread. */
export function defineFunctions(connection: SqliteConnection): void {
  connection.defineFunction(DECIMAL_KEY_FUNCTION, true, (value) =>
    typeof value === 'string' ? (decimalKey(value) ?? null) : null,
  );
  connection.defineFunction(WORDS_FUNCTION, true, joinedWords);
}
