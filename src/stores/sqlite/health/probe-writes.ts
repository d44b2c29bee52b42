import type { Statement } from '../../sql/dialect.ts';
import { METADATA, SystemStatements } from '../../sql/system-statements.ts';
import type { SqliteConnection } from '../connection/sqlite-connection.ts';
import { sqlite } from '../dialect.ts';

/** Room for a usual write with its events, so that writes do not begin to fail again with the next request. */
const PROBE = 'x'.repeat(65_536);

const system = new SystemStatements(sqlite);

/**
 * Writes 64 KiB to disk and deletes them. Where that fails, a checkpoint makes room in the log for the next probe, if the database file itself can
 * still grow.
 *
 * @throws where any of it fails
 */
export function probeWrites(connection: SqliteConnection): void {
  try {
    run(connection, system.setMetadata(METADATA.probe, PROBE));
    run(connection, system.deleteMetadata(METADATA.probe));
  } catch (error) {
    connection.checkpoint();
    throw error;
  }
}

function run(connection: SqliteConnection, { text, values }: Statement): void {
  connection.run(text, values);
}
