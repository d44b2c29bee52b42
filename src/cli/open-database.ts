import { statSync } from 'node:fs';
import path from 'node:path';
import { UnusableKeys } from '../auth/key-set.ts';
import { BrokerPackageMissing } from '../events/relays/broker.ts';
import { AgentPathTaken } from '../mcp/open-agents.ts';
import { ConsoleMissing } from '../describe/console/console-files.ts';
import { AgentPackageMissing } from '../mcp/sdk.ts';
import type { Model } from '../model/model.ts';
import type { Observe } from '../observe/observation.ts';
import { type StartApiOptions, startApi, type StartedApi } from '../start-api.ts';
import { RedisClientMissing } from '../platform/redis.ts';
import { PostgresDriverMissing } from '../stores/postgres/driver/postgres-errors.ts';
import {
  IncompatibleModels,
  LossySchemaChange,
  SchemaViolation,
  UnusableDatabase,
} from '../stores/sql/schema/schema-errors.ts';
import { type CommandError, commandFailed, describeFileError } from './command-error.ts';
import { serverUrl } from './serve/address.ts';
import { databaseFile, databaseLocation, displayedPath, type UsedDatabase } from './database-settings.ts';
import { serveSettings } from './settings.ts';
import { quoteArgument } from './terminal/command-line.ts';
import type { Terminal } from './terminal/terminal.ts';

/** A database and the file of its model, for messages. */
interface DatabaseFiles extends UsedDatabase {
  readonly modelFile: string;
  /** The older version of the model to go back to. */
  readonly to?: string;
}

/**
 * The `migrate` command line for a database. It names the database unless the command uses it by default.
 *
 * @param name the name of the model
 */
export function migrateCommand({ database, modelFile, to }: DatabaseFiles, name: string): string {
  const isDefault = database === databaseFile(databaseLocation({}, {}), name);
  const option = isDefault ? [] : ['--database', quoteArgument(displayedPath(database))];
  const version = to === undefined ? [] : ['--to', to];
  return ['restwright', 'migrate', quoteArgument(modelFile), ...option, ...version].join(' ');
}

/** Errors whose message names the cause and the fix. */
const EXPLAINED = [
  BrokerPackageMissing,
  AgentPackageMissing,
  ConsoleMissing,
  AgentPathTaken,
  IncompatibleModels,
  PostgresDriverMissing,
  RedisClientMissing,
  SchemaViolation,
  UnusableDatabase,
  UnusableKeys,
] as const;

/**
 * The error of a command for one that opening a database threw. Those of the store name the cause. @param name the name
 * of the model
 */
export function databaseError(error: unknown, files: DatabaseFiles, name: string): CommandError {
  if (error instanceof LossySchemaChange) {
    return commandFailed(
      `${error.message} ${migrateCommand(files, name)} shows the migration; --apply --allow-data-loss applies it.`,
    );
  }
  if (error instanceof Error && EXPLAINED.some((each) => error instanceof each)) return commandFailed(error.message);
  // SQLite's own message depends on what it tries first.
  const isFolder = statSync(files.database, { throwIfNoEntry: false })?.isDirectory() === true;
  const cause = isFolder ? 'it is a directory; name a file.' : describeFileError(error);
  return commandFailed(`cannot open the database ${displayedPath(files.database)}: ${cause}`);
}

/**
 * Opens the API of a model on its database.
 *
 * @throws {CommandError} exit 1 where the database cannot be opened, or where migrating it would lose data (OPS-4); the
 *   reason of `signal` where that was aborted first
 */
export async function openDatabase({
  modelFile,
  ...options
}: StartApiOptions & DatabaseFiles & { readonly model: Model }): Promise<StartedApi> {
  try {
    return await startApi({ ...options, folder: path.dirname(modelFile) });
  } catch (error) {
    options.signal?.throwIfAborted();
    throw databaseError(error, { database: options.database, modelFile }, options.model.name);
  }
}

/**
 * Opens the API of a model without serving it, for imports and exports. Prints the statements that migrate an existing
 * database (OPS-4). Events name the address that `serve` would listen on.
 *
 * @throws {CommandError} as {@link openDatabase}
 */
export async function openWithoutServer(
  model: Model,
  files: DatabaseFiles & Pick<StartApiOptions, 'mcp' | 'services' | 'readOnly'>,
  { env, stderr }: Terminal,
): Promise<StartedApi> {
  const { database } = files;
  const { host, port } = serveSettings({}, env);
  const observe: Observe = (observation) => {
    if (observation.kind !== 'schema-changed' || observation.isNew) return;
    stderr.write(`migrated ${displayedPath(database)}:\n${observation.statements.join(';\n')};\n`);
  };
  return openDatabase({
    model,
    ...files,
    observe,
    allowAnyHost: false,
    dispatch: false,
    console: false,
    origin: () => serverUrl(host, port, ''),
  });
}
