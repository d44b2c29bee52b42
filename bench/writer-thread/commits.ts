import Database from 'better-sqlite3';
import { product } from '../compare/products.ts';

/** A row to insert. */
export interface ProductRow {
  readonly id: string;
  readonly sku: string;
}

const { name, price, category, description } = product(1);

/** Opens a database for durable writes and creates its table. */
export function openDatabase(file: string): Database.Database {
  const database = new Database(file);
  database.pragma('journal_mode = wal');
  database.pragma('synchronous = full');
  database.exec(`create table if not exists products (
    id text primary key, sku text not null unique, name text not null, price real not null, category text not null, description text
  ) strict; create index if not exists by_category on products (category, price, id)`);
  return database;
}

/**
 * Returns a function that commits rows in one transaction, each under a savepoint, as our store does.
 *
 * @param slow additional milliseconds for which a commit blocks its thread, to simulate a slow disk
 */
export function groupCommit(database: Database.Database, slow: number): (rows: readonly ProductRow[]) => void {
  const [begin, savepoint, release, commit] = ['begin immediate', 'savepoint unit', 'release unit', 'commit'].map(
    (text) => database.prepare(text),
  );
  const insert = database.prepare('insert into products values (?, ?, ?, ?, ?, ?)');
  const lock = new Int32Array(new SharedArrayBuffer(4));
  return (rows) => {
    begin?.run();
    for (const { id, sku } of rows) {
      savepoint?.run();
      insert.run(id, sku, name, price, category, description);
      release?.run();
    }
    commit?.run();
    if (slow > 0) Atomics.wait(lock, 0, 0, slow);
  };
}
