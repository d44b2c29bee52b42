import type { Model } from '../model/model.ts';
import type { Observe } from '../observe/observation.ts';
import { type OpenApiOptions, openApi, type OpenedApi } from '../open-api.ts';
import { LossySchemaChange, SchemaViolation, UnusableDatabase } from '../stores/sql/schema/schema-errors.ts';
import { commandFailed, describeFileError } from './command-error.ts';
import { serverUrl } from './serve/address.ts';
import { serveSettings } from './settings.ts';
import type { Terminal } from './terminal/terminal.ts';

/** Their messages name the database and the cause. */
const DATABASE_ERRORS = [LossySchemaChange, SchemaViolation, UnusableDatabase];

/**
 * Opens the API of a model on its database.
 *
 * @throws {CommandError} exit 1 where the database cannot be opened, or where migrating it would lose data (OPS-4); the reason of
 *   `signal` where that was aborted first
 */
export async function openDatabase(options: OpenApiOptions): Promise<OpenedApi> {
  try {
    return await openApi(options);
  } catch (error) {
    options.signal?.throwIfAborted();
    if (error instanceof Error && DATABASE_ERRORS.some((kind) => error instanceof kind))
      throw commandFailed(error.message);
    throw commandFailed(`cannot open the database ${options.database}: ${describeFileError(error)}`);
  }
}

/**
 * Opens the API of a model without serving it, for imports and exports. Prints the statements that migrate an existing database (OPS-4).
 * Events name the address that `serve` would listen on.
 *
 * @throws {CommandError} as {@link openDatabase}
 */
export async function openWithoutServer(model: Model, database: string, { env, stderr }: Terminal): Promise<OpenedApi> {
  const { host, port } = serveSettings({ insecurePublic: true }, env);
  const observe: Observe = (observation) => {
    if (observation.kind !== 'schema-changed' || observation.isNew) return;
    stderr.write(`migrated ${database}:\n${observation.statements.join(';\n')};\n`);
  };
  return openDatabase({
    model,
    database,
    observe,
    allowAnyHost: false,
    dispatch: false,
    origin: () => serverUrl(host, port, ''),
  });
}
