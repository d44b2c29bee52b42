import { adviseIndexes, type IndexAdvice } from '../../introspect/index-advice.ts';
import type { Model } from '../../model/model.ts';
import { showsTables } from '../../model/table-source.ts';
import { selectKind } from '../../stores/databases/databases.ts';
import { CommandError, commandFailed } from '../command-error.ts';
import { type DatabaseFlags, databaseLocation, usedDatabase } from '../database-settings.ts';
import { databaseError } from '../open-database.ts';
import type { EnvironmentVariables } from '../setting-value.ts';
import { alignColumns } from '../terminal/align-columns.ts';

/** A database whose tables match a model. */
export interface CheckedDatabase {
  /** Its name, without a password. */
  readonly database: string;
  /** The number of tables and views that the model shows. */
  readonly tables: number;
  /** Sorts and filters that no index serves. */
  readonly unindexed: readonly IndexAdvice[];
}

/**
 * Compares a model with the tables that exist, as the start does. Nothing is written.
 *
 * @throws {CommandError} exit 1 for a database that cannot be used, or does not match; exit 2 for its location
 */
export async function checkDatabase(
  file: string,
  model: Model,
  flags: DatabaseFlags,
  env: EnvironmentVariables,
): Promise<CheckedDatabase> {
  const used = usedDatabase(databaseLocation(flags, env), model.name);
  if (!showsTables(model))
    throw commandFailed(`${file} shows no table that exists; compare its own rows with \`restwright migrate\`.`);
  const kind = selectKind(used.database);
  try {
    const names = await kind.compareTables(used, model);
    const catalogue = await kind.openCatalogue(used);
    try {
      const unindexed = await adviseIndexes(model, names, catalogue);
      return { database: kind.display(used.database), tables: names.size, unindexed };
    } finally {
      await catalogue.close();
    }
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw databaseError(error, { ...used, modelFile: file }, model.name);
  }
}

/** Describes a checked database: that it matches, and the statements of indexes that are missing. */
export function describeDatabase({ database, tables, unindexed }: CheckedDatabase): readonly string[] {
  const matches = `${database} matches it: ${tables === 1 ? '1 table' : `${tables} tables`}`;
  if (unindexed.length === 0) return ['', matches];
  const rows = unindexed.map(({ resource, field, rows: count, statement }) => [
    `${resource}.${field}`,
    count === null ? '?' : count.toLocaleString('en'),
    statement,
  ]);
  const table = alignColumns([['sort and filter without an index', 'rows', 'statement'], ...rows]);
  return ['', matches, '', ...table.map((line) => `  ${line}`)];
}
