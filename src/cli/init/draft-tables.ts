import type { ModelDraft } from '../../infer/model-draft.ts';
import type { DatabaseCatalogue } from '../../introspect/database.ts';
import { introspectDatabase } from '../../introspect/introspect-database.ts';
import { type TableSelection, UnknownTable } from '../../introspect/select-tables.ts';
import { PostgresDriverMissing } from '../../stores/postgres/driver/postgres-errors.ts';
import { UnusableDatabase } from '../../stores/sql/schema/schema-errors.ts';
import { commandFailed, usageError } from '../command-error.ts';
import type { OptionSpec } from '../command-spec.ts';
import { describingErrors } from '../data-file/infer-file.ts';

/** The options that select tables of a database. */
export type TableFlags = Partial<TableSelection>;

/** A database whose tables a model shows. */
interface ShownDatabase {
  /** The name of the model. */
  readonly name: string;
  /** The name of the database in the model. */
  readonly title: string;
  /** The name of the database in errors. */
  readonly location: string;
  readonly open: () => Promise<DatabaseCatalogue>;
}

/**
 * Drafts a model over the tables of a database.
 *
 * @throws {CommandError} exit 2 for a selection without a table, exit 1 for a database that cannot be used or has no
 *   table
 */
export async function draftOverTables(database: ShownDatabase, flags: TableFlags): Promise<ModelDraft> {
  const { schema, tables, exclude } = flags;
  const selection = {
    schema: splitPatterns(schema),
    tables: splitPatterns(tables),
    exclude: splitPatterns(exclude),
  };
  return describingErrors(database.location, async () => {
    try {
      const catalogue = await database.open();
      try {
        return await introspectDatabase(catalogue, database, selection);
      } finally {
        await catalogue.close();
      }
    } catch (error) {
      if (error instanceof UnknownTable) throw usageError(`--${error.part}: ${error.message}`);
      const isExplained = error instanceof UnusableDatabase || error instanceof PostgresDriverMissing;
      throw isExplained ? commandFailed(error.message) : error;
    }
  });
}

/** @throws {CommandError} exit 2 for an option that selects tables, where there is no database */
export function refuseTableFlags(flags: TableFlags): void {
  const given = TABLE_OPTIONS.find(({ name }) => name in flags);
  if (given !== undefined) throw usageError(`--${given.name}: name a database of SQLite or PostgreSQL with --from.`);
}

function splitPatterns(values: readonly string[] = []): readonly string[] {
  return values.flatMap((value) => value.split(',')).filter((pattern) => pattern !== '');
}

export const TABLE_OPTIONS: readonly OptionSpec[] = [
  {
    name: 'tables',
    value: { name: 'patterns', completes: 'none' },
    description: "tables of a database to use, such as 'film*,actor'; repeatable (default: all tables)",
    group: 'Input:',
    repeats: true,
  },
  {
    name: 'exclude',
    value: { name: 'patterns', completes: 'none' },
    description: 'tables of a database to leave out; repeatable',
    group: 'Input:',
    repeats: true,
  },
  {
    name: 'schema',
    value: { name: 'patterns', completes: 'none' },
    description:
      'schemas of a PostgreSQL database whose tables are used; repeatable (default: the one that the URL names, else public)',
    group: 'Input:',
    repeats: true,
  },
];
