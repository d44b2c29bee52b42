import type { SqlRow, Statement } from '../dialect.ts';
import type { SqlClient } from '../sql-client.ts';
import type { Table, Tables } from '../tables.ts';

/** The tables of one statement. PostgreSQL locks each of them and each of its indexes until it ends. */
const MOST_TABLES = 100;

/**
 * The newest time in a database that is not after a given one: `Store.newestTime`. Each statement reads one entry of an
 * index of each of its tables, or the last events.
 */
export async function newestTime(client: SqlClient, tables: Tables, until: number): Promise<number | null> {
  const all = [...tables].filter(({ existing }) => existing === null);
  const blocks = Array.from({ length: Math.ceil(all.length / MOST_TABLES) }, (_, block) =>
    newestRow(all.slice(block * MOST_TABLES, (block + 1) * MOST_TABLES), until),
  );
  const statements = [tables.system.newestEvent(until), ...blocks];
  return findNewest(await Promise.all(statements.map(async (statement) => client.get(statement))));
}

function newestRow(tables: readonly Table[], until: number): Statement {
  const times = tables.map(({ name, dialect }, index) => {
    const column = dialect.quote('created_at');
    return `((select max(${column}) from ${name} where ${column} <= ${dialect.placeholder(index + 1)}))`;
  });
  return {
    text: `select max(column1) as newest from (values ${times.join(', ')}) as times`,
    values: tables.map(() => until),
  };
}

function findNewest(rows: readonly (SqlRow | null)[]): number | null {
  const times = rows.flatMap((row) => (typeof row?.['newest'] === 'number' ? [row['newest']] : []));
  return times.length === 0 ? null : Math.max(...times);
}
