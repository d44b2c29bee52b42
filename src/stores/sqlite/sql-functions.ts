import { decimalKey } from '../sql/decimal.ts';
import { DECIMAL_KEY } from './dialect.ts';
import type { Connection } from './driver.ts';
import { joinedWords, WORDS } from './search-schema.ts';

/** Makes the functions that statements call known to a connection: each needs them, on whichever thread it is. */
export function defineFunctions(connection: Connection): void {
  connection.define(DECIMAL_KEY, true, (value) => (typeof value === 'string' ? (decimalKey(value) ?? null) : null));
  connection.define(WORDS, true, joinedWords);
}
