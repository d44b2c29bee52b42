import { decimalKey } from '../../sql/decimal.ts';
import { DECIMAL_KEY_FUNCTION } from '../dialect.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import { joinedWords, WORDS_FUNCTION } from '../schema/search-schema.ts';

/** Makes the functions that statements call known to a connection: each needs them, on whichever thread it is. */
export function defineFunctions(connection: SqliteConnection): void {
  connection.defineFunction(DECIMAL_KEY_FUNCTION, true, (value) =>
    typeof value === 'string' ? (decimalKey(value) ?? null) : null,
  );
  connection.defineFunction(WORDS_FUNCTION, true, joinedWords);
}
