import { awaitAll, chain, type MaybePromise } from '../../../platform/maybe-promise.ts';
import type { SqlRow, Statement } from '../dialect.ts';
import type { SqlClient } from '../sql-client.ts';
import type { Table, Tables } from '../tables.ts';

/**
 * The newest time in a database that is not after a given one: `Store.newestTime`. Each statement reads one entry of an
 * index, or the last events.
 */
export function newestTime(client: SqlClient, tables: Tables, until: number): MaybePromise<number | null> {
  const statements = [tables.system.newestEvent(until), ...[...tables].map((table) => newestRow(table, until))];
  return chain(awaitAll(statements.map((statement) => client.get(statement))), findNewest);
}

function newestRow({ name, dialect }: Table, until: number): Statement {
  const column = dialect.quote('created_at');
  return {
    text: `select max(${column}) as newest from ${name} where ${column} <= ${dialect.placeholder(1)}`,
    values: [until],
  };
}

function findNewest(rows: readonly (SqlRow | null)[]): number | null {
  const times = rows.flatMap((row) => (typeof row?.['newest'] === 'number' ? [row['newest']] : []));
  return times.length === 0 ? null : Math.max(...times);
}
