import path from 'node:path';
import type { TestContext } from 'node:test';
import type { ModelDraft } from '../../src/infer/model-draft.ts';
import { writeModel } from '../../src/infer/write-model.ts';
import { introspectDatabase } from '../../src/introspect/introspect-database.ts';
import type { TableSelection } from '../../src/introspect/select-tables.ts';
import { openSqliteCatalogue } from '../../src/stores/sqlite/catalogue/sqlite-catalogue.ts';
import { Database, driverName } from '../stores/sqlite/driver-under-test.ts';
import { temporaryDirectory } from '../temporary-directory.ts';

/** A new SQLite file with the tables of these statements. @returns its path */
export function databaseWith(context: TestContext, sql: string): string {
  const file = path.join(temporaryDirectory(context), 'shop.sqlite');
  new Database(file).exec(`pragma foreign_keys = off; begin; ${sql}; commit`).close();
  return file;
}

type Selection = Partial<TableSelection>;

/** The draft over the tables of a SQLite file. */
export async function draftTables(file: string, selection: Selection = {}): Promise<ModelDraft> {
  const catalogue = openSqliteCatalogue(file, { driver: driverName });
  try {
    const all = { schema: [], tables: [], exclude: [], ...selection };
    return await introspectDatabase(catalogue, { name: 'shop', title: 'shop.sqlite' }, all);
  } finally {
    await catalogue.close();
  }
}

/** The model over the tables of these statements, without its first line. */
export async function modelOver(context: TestContext, sql: string, selection: Selection = {}): Promise<string> {
  const draft = await draftTables(databaseWith(context, sql), selection);
  return writeModel(draft, 'schema').replace(/^.*\n/, '');
}

/** The lines of a resource, without indentation. */
export function resourceLines(model: string, name: string): readonly string[] {
  const [, block = ''] = new RegExp(`^  ${name}:\\n((?:    .*\\n)*)`, 'm').exec(model) ?? [];
  return block
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** The line of a field, without its name. */
export function readField(model: string, resource: string, field: string): string | undefined {
  const start = `${field}: `;
  return resourceLines(model, resource)
    .findLast((line) => line.startsWith(start))
    ?.slice(start.length);
}

/** Uncomments the resources of views, as a person does in an editor. */
export function uncommentViews(model: string): string {
  return model.replaceAll(/^ {2}# /gm, '  ');
}
