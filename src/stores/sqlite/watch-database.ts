import type { Model } from '../../model/model.ts';
import type { Observe } from '../../observe/observation.ts';
import { safeObserver } from '../../observe/safe-observer.ts';
import type { Statement } from '../sql/dialect.ts';
import { isUnexplained, ModelGuard, recordedSchema } from '../sql/schema/model-guard.ts';
import { METADATA, SystemStatements } from '../sql/system-statements.ts';
import { WriteHealth } from '../sql/write-health.ts';
import type { MainConnection } from './connection/main-connection.ts';
import type { SqliteConnection } from './connection/sqlite-connection.ts';
import { sqlite } from './dialect/sqlite-dialect.ts';
import { type DatabaseFile, openFiles } from './health/database-files.ts';
import { type ExistingFile, systemModel } from './existing/existing-file.ts';
import { explainChange } from './existing/explain-rule.ts';
import { FileGuard } from './health/file-guard.ts';
import { unavailable } from './health/unavailable.ts';

const system = new SystemStatements(sqlite);

interface WatchOptions {
  readonly model: Model;
  readonly observe: Observe;
}

export interface WatchedDatabase {
  readonly guard: FileGuard;
  readonly health: WriteHealth;
  readonly match: ModelGuard;
  readonly observe: Observe;
}

/** The file that is written, null for one in memory, and the file of another program, null for none. */
interface WatchedFiles {
  readonly file: DatabaseFile | null;
  readonly source: Pick<ExistingFile, 'file'> | null;
}

/** The state of the database and its files, for readiness and before anything is acknowledged (OPS-7). */
export function watchDatabase(
  { file, source }: WatchedFiles,
  main: MainConnection,
  options: WatchOptions,
): WatchedDatabase {
  const observe = safeObserver(options.observe);
  // Others create and remove the log of a file that is only read.
  const files = file === null ? (source === null ? [] : [source.file]) : openFiles(file);
  const guard = new FileGuard({ files, observe, save: () => file === null || main.writer().emptyWal() });
  const probe = (): void => {
    guard.check();
    probeWrites(main.writer());
  };
  const isOnlyRead = source !== null && file === null;
  const match = new ModelGuard(isOnlyRead ? systemModel(options.model) : options.model, observe);
  const explain = (error: unknown): unknown => {
    const explained = isOnlyRead ? error : explainFailure(error, match, main);
    return source === null ? explained : explainChange(explained);
  };
  const health = new WriteHealth({ probe, unavailable, explain, stopsWhenCorrupt: true, observe });
  return { guard, health, match, observe };
}

/**
 * The error to report for one that a statement ended with: the database may have been migrated to another model
 * meanwhile.
 */
function explainFailure(error: unknown, match: ModelGuard, main: MainConnection): unknown {
  if (!isUnexplained(error)) return error;
  try {
    const [types, models] = recordedSchema(system).map(({ text, values }) => main.reader().get(text, values));
    return match.explain(error, { types: types ?? null, models: models ?? null });
  } catch {
    // The database cannot be read at all: the first error says why.
    return error;
  }
}

/** Room for a usual write with its events, so that writes do not begin to fail again with the next request. */
const PROBE = 'x'.repeat(65_536);

/**
 * Writes 64 KiB to disk and deletes them. Where that fails, a checkpoint makes room in the log for the next probe, if
 * the database file itself can still grow.
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
