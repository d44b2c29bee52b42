import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { loadModel } from '../../src/model/compile/load-model.ts';
import { startApi } from '../../src/start-api.ts';
import { product } from './products.ts';

export const ROWS = 100_000;
const BATCH = 1_000;
const COLUMNS = 'id, sku, name, price, category, stock, status, description, created_at, updated_at, revision';
const NUMBERED_COLUMNS = COLUMNS.replace('id', 'row_number() over (order by id)');

/** Column types that a server requires. */
interface ColumnTypes {
  /** `integer` numbers the rows from 1. */
  readonly id: 'text' | 'uuid' | 'integer';
  /** Milliseconds since the Unix epoch, or ISO 8601. */
  readonly time: 'integer' | 'text';
}

/** The same products for every contender. */
export interface Datasets {
  /** Path of Restwright's database. */
  readonly restwright: string;
  /** The ids of all rows in random order. */
  readonly ids: readonly string[];
  /** The integer keys of all rows, in the same order as {@link ids}. */
  readonly numbers: readonly string[];
  /** Creates a database with only the products table for a contender, and returns its path. */
  readonly table: (name: string, types?: ColumnTypes) => string;
  /** Writes the rows as one JSON document, and returns its path. */
  readonly document: () => string;
}

/** Imports the products and reads their ids. @param model path of Restwright's model */
export async function createDatasets(folder: string, model: string): Promise<Datasets> {
  const ours = path.join(folder, 'restwright.db');
  await importProducts(ours, model);
  const ids = readIds(ours);
  return {
    restwright: ours,
    ids,
    numbers: numberIds(ids),
    table(name, types = { id: 'text', time: 'integer' }) {
      const file = path.join(folder, `${name}.db`);
      if (!existsSync(file)) writeTable(file, ours, types);
      return file;
    },
    document() {
      const file = path.join(folder, 'document.json');
      if (!existsSync(file)) writeDocument(file, ours);
      return file;
    },
  };
}

async function importProducts(file: string, model: string): Promise<void> {
  const loaded = loadModel({ file: model, text: readFileSync(model, 'utf8'), env: {} });
  const { api, close } = await startApi({ model: loaded.model, database: file });
  for (let from = 0; from < ROWS; from += BATCH) {
    const rows = Array.from({ length: BATCH }, (_, index) => ({ ...product(from + index) }));
    const outcome = await api.importRows('products', rows);
    if (outcome.kind !== 'stored') throw new Error(JSON.stringify(outcome));
  }
  await close();
}

function readIds(file: string): readonly string[] {
  const database = new Database(file, { readonly: true });
  const rows = database.prepare<[], { id: string }>('select id from products order by random()').all();
  database.close();
  return rows.map(({ id }) => id);
}

function numberIds(ids: readonly string[]): readonly string[] {
  const numbers = new Map(ids.toSorted().map((id, index) => [id, String(index + 1)]));
  return ids.map((id) => numbers.get(id) ?? '');
}

function writeDocument(file: string, source: string): void {
  const database = new Database(source, { readonly: true });
  const products = database.prepare(`select ${COLUMNS} from products order by id`).all();
  database.close();
  writeFileSync(file, JSON.stringify({ products }));
}

function writeTable(file: string, source: string, { id, time }: ColumnTypes): void {
  const database = new Database(file);
  database.pragma('journal_mode = wal');
  database.prepare('attach ? as source').run(source);
  database.exec(`create table products (id ${id} primary key not null, sku text not null unique, name text not null,
      price real not null, category text not null, stock integer not null default 0, status text not null default 'DRAFT',
      description text, created_at ${time} not null, updated_at ${time} not null, revision integer default 1);
    insert into products select ${id === 'integer' ? NUMBERED_COLUMNS : COLUMNS} from source.products order by id;
    create index by_category on products (category, price, id)`);
  if (time === 'text') {
    const iso = (column: string): string => `strftime('%Y-%m-%dT%H:%M:%fZ', ${column} / 1000.0, 'unixepoch')`;
    database.exec(`update products set created_at = ${iso('created_at')}, updated_at = ${iso('updated_at')}`);
  }
  database.close();
}
