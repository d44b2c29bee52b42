import { Client } from 'pg';
import type { Datasets } from '../compare/datasets.ts';
import type { PostgresServer } from '../../test/postgres-server.ts';

const COLUMNS = 'sku, name, price, category, stock, status, description';

/** The schema of the table. */
const SCHEMA = 'by_hand';

/**
 * The same rows in a table as one writes it by hand.
 *
 * @param from the schema of the rows
 * @returns the ids of both tables in the same random order
 */
export async function copyProducts(url: string, from = 'restwright'): Promise<Pick<Datasets, 'ids' | 'numbers'>> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`create schema ${SCHEMA};
      create table ${SCHEMA}.products (id bigint generated always as identity primary key, sku text not null unique, name text not null,
        price double precision not null, category text not null, stock integer not null, status text not null, description text,
        created_at timestamptz not null, updated_at timestamptz not null, revision integer not null default 1);
      insert into ${SCHEMA}.products (${COLUMNS}, created_at, updated_at)
        select ${COLUMNS}, now(), now() from ${from}.products order by id;
      create index on ${SCHEMA}.products (category, price, id);
      analyze`);
    const { rows } = await client.query<{ id: string; number: string }>(
      `select id, row_number() over (order by id)::text number from ${from}.products order by random()`,
    );
    return { ids: rows.map(({ id }) => id), numbers: rows.map(({ number }) => number) };
  } finally {
    await client.end();
  }
}

/** The URL of a server for programs that name the table without its schema. */
export function handUrl(server: PostgresServer): string {
  const url = new URL(server.url(SCHEMA));
  url.searchParams.delete('schema');
  url.searchParams.set('options', `-c search_path=${SCHEMA}`);
  return url.href;
}
