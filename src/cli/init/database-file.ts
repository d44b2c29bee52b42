import { open } from 'node:fs/promises';
import path from 'node:path';
import type { ModelDraft } from '../../infer/model-draft.ts';
import { openSqliteCatalogue } from '../../stores/sqlite/catalogue/sqlite-catalogue.ts';
import { reading } from '../data-file/data-file.ts';
import { draftOverTables, type TableFlags } from './draft-tables.ts';

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
export function draftFromDatabase(file: string, flags: TableFlags): Promise<ModelDraft> {
  const { name, base } = path.parse(file);
  return draftOverTables({ name, title: base, location: file, open: async () => openSqliteCatalogue(file) }, flags);
}
