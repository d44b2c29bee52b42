import { open } from 'node:fs/promises';
import path from 'node:path';
import type { ModelDraft } from '../../infer/model-draft.ts';
import { introspectDatabase } from '../../introspect/introspect-database.ts';
import { UnknownTable } from '../../introspect/select-tables.ts';
import { UnusableDatabase } from '../../stores/sql/schema/schema-errors.ts';
import { openSqliteCatalogue } from '../../stores/sqlite/catalogue/sqlite-catalogue.ts';
import { commandFailed, usageError } from '../command-error.ts';
import type { OptionSpec } from '../command-spec.ts';
import { reading } from '../data-file/data-file.ts';
import { describingErrors } from '../data-file/infer-file.ts';

/** The options that select tables of a database. */
export interface TableFlags {
  readonly tables?: readonly string[];
  readonly exclude?: readonly string[];
}

const EXTENSION = /\.(?:sqlite3?|s3db|db3?)$/i;
/** The first bytes of a database. A file without any bytes is an empty one. */
const HEADER = 'SQLite format 3\0';

/**
 * True for a SQLite file: by its extension, or by its first bytes.
 *
 * @throws {CommandError} exit 2 for a file that cannot be read
 */
export async function isDatabaseFile(file: string): Promise<boolean> {
  const header = await reading(file, () => readHeaderBytes(file));
  return EXTENSION.test(file) || header === HEADER;
}

async function readHeaderBytes(file: string): Promise<string> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEADER.length), 0, HEADER.length, 0);
    return buffer.toString('latin1', 0, bytesRead);
  } finally {
    await handle.close();
  }
}

/**
 * Drafts a model over the tables of a SQLite file.
 *
 * @throws {CommandError} exit 2 for a selection without a table, exit 1 for a file that cannot be used or has no table
 */
export async function draftFromDatabase(file: string, { tables = [], exclude = [] }: TableFlags): Promise<ModelDraft> {
  const source = { name: path.parse(file).name, title: path.basename(file) };
  const selection = { tables: splitPatterns(tables), exclude: splitPatterns(exclude) };
  return describingErrors(file, async () => {
    try {
      const catalogue = openSqliteCatalogue(file);
      try {
        return await introspectDatabase(catalogue, source, selection);
      } finally {
        await catalogue.close();
      }
    } catch (error) {
      if (error instanceof UnknownTable) throw usageError(`--${error.part}: ${error.message}`);
      throw error instanceof UnusableDatabase ? commandFailed(error.message) : error;
    }
  });
}

/** @throws {CommandError} exit 2 for an option that selects tables, where there is no database */
export function refuseTableFlags(flags: TableFlags): void {
  const given = TABLE_OPTIONS.find(({ name }) => name in flags);
  if (given !== undefined) throw usageError(`--${given.name}: name a SQLite database with --from.`);
}

function splitPatterns(values: readonly string[]): readonly string[] {
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
];
