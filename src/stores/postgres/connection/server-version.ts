import type { SqlValue } from '../../sql/dialect.ts';
import { UnusableDatabase } from '../../sql/schema/schema-errors.ts';

/** Reads the version of the server. */
export const SERVER_VERSION = `current_setting('server_version_num')::integer`;

const OLDEST_VERSION = 150_000;

/** @param version as {@link SERVER_VERSION} reads it. @throws {UnusableDatabase} for one that is too old */
export function requireVersion(version: SqlValue): void {
  if (Number(version) >= OLDEST_VERSION) return;
  throw new UnusableDatabase('Its version of PostgreSQL is too old. Use 15 or newer.');
}
