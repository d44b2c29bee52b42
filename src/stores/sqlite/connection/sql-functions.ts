import { decimalKey } from '../../sql/decimal.ts';
import {
  COMPACT_FUNCTION,
  compactJson,
  DECIMAL_KEY_FUNCTION,
  JSON_FUNCTION,
  LOWER_UUIDS_FUNCTION,
  storedJson,
  storedLower,
} from '../dialect/sqlite-dialect.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import { HAS_WORDS_FUNCTION, hasWords, joinedWords, WORDS_FUNCTION } from '../dialect/search-tables.ts';

/** Defines the SQL functions that statements call. Every connection needs them, on each thread. */
export function defineFunctions(connection: SqliteConnection): void {
  connection.defineFunction(DECIMAL_KEY_FUNCTION, true, (value) =>
    typeof value === 'string' ? (decimalKey(value) ?? null) : null,
  );
  connection.defineFunction(JSON_FUNCTION, true, (value = null, type = null) => storedJson(value, type));
  connection.defineFunction(LOWER_UUIDS_FUNCTION, true, (value = null, type = null) => storedLower(value, type));
  connection.defineFunction(COMPACT_FUNCTION, true, (value = null, type = null) => compactJson(value, type));
  connection.defineFunction(WORDS_FUNCTION, true, joinedWords);
  connection.defineFunction(HAS_WORDS_FUNCTION, true, (words = null, ...texts) => hasWords(words, ...texts));
}
