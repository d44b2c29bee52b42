import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { temporaryDirectory } from '../../temporary-directory.ts';
import type { ExistingSource } from './existing-source.ts';

/** Writes a file of SQLite as another program would. @returns its path */
export function sourceFile(context: Pick<TestContext, 'after'>, sql: string): string {
  const file = path.join(temporaryDirectory(context), 'shop of others.sqlite');
  changeFile(file, sql);
  return file;
}

/** Changes a file of SQLite as another program would. */
export function changeFile(file: string, sql: string): void {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}

/** Changes a file once the reads of this event-loop iteration have ended: in one process, they would block it. */
export async function changeAfterReads(file: string, sql: string): Promise<void> {
  await setImmediate();
  await setImmediate();
  changeFile(file, sql);
}

/** Creates a file with tables, as a database that a test writes. */
export function sqliteSource(sql: string): ExistingSource {
  const closers: (() => void)[] = [];
  const file = sourceFile({ after: (close: () => void) => closers.push(close) }, sql);
  return {
    url: file,
    change: (text) => changeAfterReads(file, text),
    list: (text) => {
      const database = new DatabaseSync(file, { readOnly: true });
      const rows = database.prepare(text).all();
      database.close();
      return Promise.resolve(rows.map((row) => Object.values(row)[0]));
    },
    close: () => {
      for (const close of closers) close();
      return Promise.resolve();
    },
  };
}

/** Tables with names that need quotes, keys of every kind, and references. */
export const SHOP = `
create table customer (id integer primary key, name text not null collate nocase);
create table film (
  film_id integer primary key, title text not null, "Release Year" int, price numeric(10, 2), customer integer references customer,
  rented boolean, poster blob, meta text, changed datetime
);
create index film_title on film (title);
create index film_customer on film (customer);
create table "order" ("select" text, line int, "Note ""x""" text, primary key ("select", line)) without rowid;
create table log (line text);
create view cheap as select film_id, title from film where price < 1;
create table "Tag" (name text primary key not null, weight real);
insert into customer values (1, 'Ann'), (2, 'bob');
insert into film values
  (1, 'Ämne', 2004, 0.99, 1, 1, x'00ff', '{"size":3}', '2004-01-02 03:04:05'),
  (2, 'Bar', 'unknown', 5, 2, 0, null, 'no json', null),
  (3, 'Car', null, 0.5, null, null, null, null, '2005-06-07 08:09:10.123456');
insert into "order" values ('x,y', 1, 'first'), ('a\\b', 2, 'second'), ('x,y', 2, null);
insert into log values ('one'), ('two');
insert into "Tag" values ('ä/b', 1.5), ('0', 2);
`;

/** The model of {@link SHOP}. */
export const SHOP_MODEL = `
name: shop
resources:
  films:
    table: film
    columns: { released: Release Year, customer_id: customer }
    updated_at: changed
    indexes: [title, customer_id]
    search: [title]
    schema:
      type: object
      required: [title]
      properties:
        title: { type: string }
        released: { type: integer }
        price: { type: string, format: decimal, x-precision: 10, x-scale: 2 }
        customer_id: { type: string, x-references: { resource: customers, inverse: films } }
        rented: { type: boolean }
        poster: { type: string, contentEncoding: base64 }
        meta: { type: json }
  customers: { table: customer, schema: { type: object, properties: { name: { type: string } } } }
  orders:
    table: order
    columns: { code: select, note: 'Note "x"' }
    schema: { type: object, properties: { code: { type: string }, note: { type: string } } }
  lines: { table: log, schema: { type: object, properties: { line: { type: string } } } }
  cheap_films: { table: cheap, key: film_id, schema: { type: object, properties: { title: { type: string } } } }
  tags: { table: tag, schema: { type: object, properties: { weight: { type: number } } } }
`;
