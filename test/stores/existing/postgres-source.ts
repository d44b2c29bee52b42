import { randomBytes } from 'node:crypto';
import { after } from 'node:test';
import { Client } from 'pg';
import { type PostgresServer, startPostgres } from '../../postgres-server.ts';
import type { ExistingSource } from './existing-source.ts';

/** A database of PostgreSQL that a test writes as another program would. Its URL is that of a superuser. */
export interface PostgresSource extends ExistingSource {
  /** The URL for a role whose rights the statements give to READER. */
  readonly readerUrl: string;
  /** The first column of the rows of a query. */
  readonly list: (sql: string, values?: readonly unknown[]) => Promise<readonly unknown[]>;
  /** Runs a statement in a transaction that stays open until it is released. */
  readonly lock: (sql: string) => Promise<OpenTransaction>;
}

/** A transaction of another program. */
interface OpenTransaction {
  readonly run: (sql: string) => Promise<void>;
  /** Commits it. */
  readonly release: () => Promise<void>;
}

/** Closes the sources that no test has closed, since a setup failed: their sessions would keep the process. */
const closers = new Set<() => Promise<void>>();
after(async () => {
  for (const close of closers) await close();
});

/** Creates a database with tables. @param sql the statements that make them @param start starts its server */
export async function postgresSource(
  sql: string,
  start: () => Promise<PostgresServer> = startPostgres,
): Promise<PostgresSource> {
  const server = await start();
  const name = `existing_${randomBytes(6).toString('hex')}`;
  const at = (database: string, role?: string): string => {
    const url = new URL(server.url('public'));
    url.searchParams.delete('schema');
    url.pathname = `/${database}`;
    if (role !== undefined) url.username = role;
    return url.href;
  };
  const main = new Client({ connectionString: at('postgres') });
  await main.connect();
  const reader = `${name}_reader`;
  await main.query(`create role ${reader} login`);
  await main.query(`create database ${name} encoding 'UTF8' locale 'C' template template0`);
  const client = new Client({ connectionString: at(name) });
  await client.connect();
  const end = async (): Promise<void> => {
    closers.delete(close);
    await client.end();
    await main.query(`drop database ${name} with (force)`);
    await main.query(`drop role ${reader}`);
    await main.end();
    await server.stop();
  };
  let ended: Promise<void> | null = null;
  const close = (): Promise<void> => (ended ??= end());
  closers.add(close);
  await client.query(sql.replaceAll('READER', reader));
  return {
    url: at(name),
    readerUrl: at(name, reader),
    change: async (text) => {
      await client.query(text.replaceAll('READER', reader));
    },
    list: async (text, values = []) => {
      const { rows } = await client.query({ text, values: [...values], rowMode: 'array' });
      return rows.map((row: readonly unknown[]) => row[0]);
    },
    lock: async (text) => {
      const other = new Client({ connectionString: at(name) });
      await other.connect();
      await other.query('begin');
      await other.query(text);
      return {
        run: async (next) => void (await other.query(next)),
        release: async () => {
          await other.query('commit');
          await other.end();
        },
      };
    },
    close,
  };
}

/** Tables with names that need quotes, keys of every kind, references, and every type. */
export const CINEMA = `
create extension citext;
create extension hstore;
create schema "Other Shop";
create collation by_number (provider = icu, locale = 'en-u-kn-true');
create type rating as enum ('G', 'R', 'NC-17');
create domain short_text as text check (length(value) < 20);
create domain shorter_text as short_text not null;
create type pair as (a int, b text);
create table customer (id int primary key, name citext not null);
create table film (
  film_id int primary key, title text not null collate by_number, "Release Year" int, price numeric(10, 2), customer int references customer,
  rented boolean, poster bytea, meta jsonb, changed timestamptz
);
create index film_title on film (title);
create index film_customer on film (customer);
create index film_price on film (price);
create table "Other Shop"."Order Line" ("select" varchar(9), line smallint, "Note ""x""" text, primary key ("select", line));
create table "odd.name" (id uuid primary key);
create table log (line text);
create view cheap as select film_id, title from film where price < 1;
create materialized view totals as select customer, count(*) as films from film where customer is not null group by customer;
create unique index totals_customer on totals (customer);
create table parted (id int, at date not null, primary key (id, at)) partition by range (at);
create table parted_old partition of parted for values from (minvalue) to ('2020-01-01');
create table parted_new partition of parted for values from ('2020-01-01') to (maxvalue);
create table tag (name char(5) primary key, weight float4);
create table kinds (
  id bigint primary key, words short_text[], numbers int[], letters varchar(9), padded char(4), folded citext, yes boolean, small smallint, big bigint,
  exact numeric, single real, double double precision, day date, hour time, zoned timetz, stamp timestamp, moment timestamptz,
  span interval, mark uuid, bytes bytea, mood rating, short shorter_text, address inet, net cidr, mac macaddr, cost money, bits bit(3),
  raw json, bin jsonb, attributes hstore, period int4range, twins pair
);
create table lists (
  id int primary key, words text[], shorts short_text[], folded citext[], padded char(4)[], moods rating[], marks uuid[], periods int4range[],
  numbers int[], longs bigint[], exacts numeric(6, 2)[], singles real[], flags boolean[], days date[], stamps timestamp[], moments timestamptz[]
);
create index lists_numbers on lists using gin (numbers);
insert into lists values
  (1, '{a,NULL,"b,c"}', '{a,NULL}', '{Mixed}', '{ab}', '{NC-17,NULL}', '{0b8e4c0e-6c1f-4d5c-9d3a-0123456789ab}', '{"[1,5)",NULL}',
  '{1,NULL}', '{9007199254740993}', '{1.50,NULL}', '{0.1}', '{true,NULL}', '{2004-02-29,NULL}', '{2004-01-02 03:04:05.5}',
  '{2004-01-02 03:04:05+00,NULL,2004-01-02 03:04:05.123456+02}'),
  (2, '{}', null, null, null, null, null, null, '{{1,2},{3,4}}', null, '{NaN}', null, null, '{infinity}', null, null);
insert into customer values (1, 'Ann'), (2, 'bob');
insert into film values
  (1, 'Ämne 10', 2004, 0.99, 1, true, '\\x00ff', '{"size":3}', '2004-01-02 03:04:05+00'),
  (2, 'Ämne 9', null, 5, 2, false, null, '[1]', null),
  (3, 'car', null, 0.5, null, null, null, null, '2005-06-07 08:09:10.123456+02');
insert into "Other Shop"."Order Line" values ('x,y', 1, 'first'), ('a\\b', 2, 'second'), ('x,y', 2, null);
insert into "odd.name" values ('0b8e4c0e-6c1f-4d5c-9d3a-111111111111');
insert into log values ('one'), ('two');
insert into parted values (1, '2019-01-01'), (1, '2021-01-01'), (2, '2021-01-01');
insert into tag values ('ä/b', 1.5), ('0', 0.1);
insert into kinds values
  (9007199254740993, '{"a","b,c"}', '{1,2}', 'Abc', 'ab', 'Mixed', true, 7, 9007199254740993,
  1.50, 0.1, 1e300, '2004-02-29', '23:59:59.5', '12:00:00+02', '2004-01-02 03:04:05.5', '2004-01-02 03:04:05.123456+00',
  '1 year 2 days 03:00', '0b8e4c0e-6c1f-4d5c-9d3a-0123456789ab', '\\xdeadbeef', 'NC-17', 'short', '10.0.0.1/24', '10.0.0.0/8', '08:00:2b:01:02:03',
  '12.30', '101', '{"b": 1, "a": [1.50]}', '{"b": 1}', 'k=>v', '[1,5)', '(1,two)'),
  (2, null, '{{1,2},{3,4}}', null, null, null, null, null, null, 'NaN', 'NaN', 'Infinity', 'infinity', null, null, '-infinity', '0044-03-15 00:00 BC',
  null, null, null, null, 'x', null, null, null, null, null, '5', '7', null, null, null);
refresh materialized view totals;
grant usage on schema public, "Other Shop" to READER;
grant select on all tables in schema public, "Other Shop" to READER;
`;

/** The model of {@link CINEMA}. */
export const CINEMA_MODEL = `
name: cinema
resources:
  films:
    table: public.film
    columns: { released: Release Year, customer_id: customer }
    updated_at: changed
    indexes: [title, customer_id, price]
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
  order_lines:
    table: Other Shop.Order Line
    columns: { code: select, note: 'Note "x"' }
    schema: { type: object, properties: { code: { type: string }, note: { type: string } } }
  odds: { table: odd.name, schema: { type: object } }
  logs: { table: log, key: line, schema: { type: object } }
  cheap_films: { table: cheap, key: film_id, schema: { type: object, properties: { title: { type: string } } } }
  totals: { table: totals, key: customer, schema: { type: object, properties: { films: { type: integer } } } }
  parts: { table: parted, schema: { type: object } }
  tags: { table: tag, schema: { type: object, properties: { weight: { type: number } } } }
  lists:
    table: lists
    schema:
      type: object
      properties:
        words: { type: array, items: { type: string } }
        shorts: { type: array, items: { type: string } }
        folded: { type: array, items: { type: string } }
        padded: { type: array, items: { type: string } }
        moods: { type: array, items: { type: string, enum: [G, R, NC-17] } }
        marks: { type: array, items: { type: string, format: uuid } }
        periods: { type: array, items: { type: string } }
        numbers: { type: array, items: { type: integer } }
        longs: { type: array, items: { type: string, format: int64 } }
        exacts: { type: array, items: { type: string, format: decimal, x-precision: 6, x-scale: 2 } }
        singles: { type: array, items: { type: number } }
        flags: { type: array, items: { type: boolean } }
        days: { type: array, items: { type: string, format: date } }
        stamps: { type: array, items: { type: string, format: date-time } }
        moments: { type: array, items: { type: string, format: date-time } }
  kinds:
    table: kinds
    schema:
      type: object
      properties:
        words: { type: array, items: { type: string } }
        numbers: { type: array, items: { type: integer } }
        letters: { type: string }
        padded: { type: string }
        folded: { type: string }
        yes: { type: boolean }
        small: { type: integer }
        big: { type: string, format: int64 }
        exact: { type: string, format: decimal }
        single: { type: number }
        double: { type: number }
        day: { type: string, format: date }
        hour: { type: string }
        zoned: { type: string }
        stamp: { type: string, format: date-time }
        moment: { type: string, format: date-time }
        span: { type: string, format: duration }
        mark: { type: string, format: uuid }
        bytes: { type: string, contentEncoding: base64 }
        mood: { type: string, enum: [G, R, NC-17] }
        short: { type: string }
        address: { type: string }
        net: { type: string }
        mac: { type: string }
        cost: { type: string }
        bits: { type: string }
        raw: { type: json }
        bin: { type: object, properties: { b: { type: integer } } }
        attributes: { type: object, additionalProperties: { type: string } }
        period: { type: string }
        twins: { type: string }
`;
